"""What names of columns say, in eight languages."""

from __future__ import annotations

import pytest

from shoal.domain.column_names import NameMeaning, name_meaning, normalized_words

IDENTIFIERS = {
    "English": """
        name|Name|NAME|full name|first_name|firstName|FirstName|last_name|LASTNAME|surname|Surname|given_name
        |middle name
        |maiden_name|preferred_name|patient_name|PatientName|patientname|name_of_patient|mother_name|father's name
        |next_of_kin_name|doctor_name|customer name|employee_name|contact_name|username|user_name|user_id|userid|login
        |email|e-mail|E-Mail|eMail|email_address|EmailAddress|mail|work_email|phone|Phone No.|phone_number|PhoneNumber
        |phonenumber|telephone|tel|Tel.|tel_no|mobile|mobile_phone|cell_phone|home_phone|phone1|fax|address|Address1
        |address_line_1|home_address|homeAddress|street|street_name|street_address|house_number|po_box
        |passport|passport_no|PassportNumber|driving_licence|license_number|licence no|license_plate|IBAN|account_number
        |acct_no|credit_card_number|card_number|SSN|ssn|social_security_number|SocialSecurityNo|nhs_number|NHSNo
        |national_insurance_number|mrn|MRN|medical_record_number|insurance_number|insurance_no|policy_number|case_number
        |case_id|caseid|record_id|patient_id|patientId|PatientID|patientid|PATID|pid|subject_id|participant_id|person_id
        |personid|client_no|customer_number|customerNo|member_id|employee_number|student_id|household_id|device_id|ip
        |ip_address|mac_address|IMEI|uuid|GUID|url|website|signature|photo|fingerprint|id|ID|Id|identifier|tax_id
        |patient_group_email|account_status_phone|First|Last|Patient #|name, city|emergency_contact_phone|facebook
        |twitter|contract number|claim_id|order_no
        |sample_id
    """,
    "German": """
        Name|Vorname|VORNAME|Nachname|Familienname|Geburtsname|Patientenname|Name des Patienten|Kundenname|Arztname
        |Vor- und Nachname|E-Mail-Adresse|Mailadresse|EMail|Telefon|Telefonnummer|TelefonNr|Tel_privat|Rufnummer|Handy
        |Handynummer|Mobil|Mobilnummer|Mobiltelefon|Fax|Faxnummer|Adresse|Anschrift|Wohnadresse|Straße|Strasse|STRASSE
        |Straße und Hausnummer|Straßenname|Hausnummer|Hausnr|Postfach|Ausweisnummer|Reisepass|Personalausweis
        |Führerscheinnummer|Kfz-Kennzeichen|Kontonummer|KontoNr|IBAN|Kreditkartennummer|Steuer-ID|Steuernummer
        |Sozialversicherungsnummer|SV-Nr|Rentenversicherungsnummer|Krankenversichertennummer|KVNR|Versichertennummer
        |VersichertenNr|Versicherungsnummer|Versicherungsnr|Krankenversicherungsnummer|Patientennummer|PatientenID
        |Patienten-ID|PatNr|Pat-ID|Fallnummer|Fall-Nr|Fallnr|Aktenzeichen-Nr|Kundennummer|KundenNr|Mitgliedsnummer
        |Personalnummer|Matrikelnummer|Probandennummer|Vertragsnummer|Rechnungsnummer|Auftragsnr|Kennung|Benutzername
        |Unterschrift|Identnr|lfd. Nr|Haushaltsnummer|Probennummer
    """,
    "French": """
        nom|Nom|prénom|prenom|PRENOM|prénoms|nom_famille|nom de famille|nom_patient|nom_du_patient|nom_naissance
        |courriel
        |adresse|adresse_mail|adresse postale|téléphone|telephone_portable|numéro de téléphone|num_tel|tel_domicile|rue
        |numero_rue|passeport|numéro_passeport|carte_identite|permis_conduire|immatriculation|numero_compte|IBAN
        |numéro de sécurité sociale|no_secu|NIR|num_secu|numero_adherent|matricule|id_patient|identifiant|numero_patient
        |num_dossier|numéro de dossier|no_client|numero_contrat|numero_facture|signature|carte_vitale|IPP|N° patient
        |N° SS|nom marital|Nom usuel
    """,
    "Spanish": """
        nombre|Nombre|nombres|nombre_completo|nombre_paciente|nombre del paciente|nombre_de_pila|nombre_de_usuario
        |apellido|apellidos|Apellido1|primer_apellido|correo|correo_electronico|correo electrónico|teléfono|telefono
        |telefono_movil|móvil|celular|numero_telefono|número de teléfono|dirección|direccion|domicilio|calle|pasaporte
        |numero_pasaporte|DNI|NIE|NIF|numero_cuenta|cuenta_bancaria|tarjeta_credito|seguridad_social
        |numero_seguridad_social|historia_clinica|NHC|id_paciente|identificador|numero_paciente|num_cliente
        |num_expediente
        |numero_poliza|permiso_conducir|usuario
    """,
    "Italian": """
        nome|Nome|cognome|nome_cognome|nome e cognome|nome_paziente|nome del paziente|nominativo|indirizzo
        |indirizzo_email
        |telefono|numero_telefono|numero di telefono|cellulare|via|passaporto|carta_identita|patente|targa
        |codice_fiscale|codice fiscale|CodFisc|tessera_sanitaria|numero_tessera|conto_corrente|id_paziente
        |codice_paziente
        |codice_cliente|numero_cartella|numero_pratica|numero_contratto|identificativo|nome_utente|cartella_clinica
        |N. telefono
    """,
    "Dutch": """
        naam|voornaam|achternaam|Achternaam|tussenvoegsel|voorletters|patiëntnaam|klantnaam|naam_patient|e-mailadres
        |emailadres|telefoon|telefoonnummer|mobiel|mobiel nummer|adres|woonadres|straat|straatnaam|huisnummer|postbus
        |paspoort|paspoortnummer|rijbewijs|rijbewijsnummer|kenteken|rekeningnummer|bankrekening|BSN|burgerservicenummer
        |patiëntnummer|patient_nr|klantnummer|personeelsnummer|verzekerdennummer|polisnummer|dossiernummer|deelnemer_id
        |gebruikersnaam|handtekening
    """,
    "Portuguese": """
        nome|nome_completo|nome_paciente|nome do paciente|nome_da_mae|apelido|sobrenome|correio_eletronico|telefone
        |telemóvel|telemovel|celular|numero_telefone|número de telefone|morada|endereço|endereco|rua|passaporte
        |cartao_cidadao|CPF|NIF|NISS|número de utente|numero_utente|SNS|numero_contribuinte|conta_bancaria|numero_conta
        |cartao_credito|id_paciente|id_utente|codigo_paciente|numero_processo|numero_cliente|assinatura|utilizador
    """,
    "Polish": """
        imię|imie|nazwisko|Nazwisko|imię i nazwisko|imie_nazwisko|imię_pacjenta|nazwisko_panieńskie|adres
        |adres_zamieszkania
        |adres e-mail|poczta_elektroniczna|telefon|numer telefonu|nr_telefonu|telefon_komórkowy|ulica|nr_domu
        |nr_mieszkania
        |paszport|nr_paszportu|dowód_osobisty|nr_dowodu|prawo_jazdy|PESEL|nr_pesel|NIP|rachunek_bankowy|nr_konta
        |numer_rachunku|nr_karty|numer_pacjenta|nr_pacjenta|id_pacjenta|identyfikator|numer_klienta|nr_polisy|nr_umowy
        |nr_ubezpieczenia|nazwa_użytkownika|podpis
    """,
}
QUASI_IDENTIFIERS = {
    "English": """
        age|Age|patient_age|patientage|age_group|ageAtDiagnosis|age_years|sex|gender|birth_date|birthDate|date_of_birth
        |dateofbirth|DateOfBirth|DOB|dob|birthday|yob|year_of_birth|birth_year|zip|ZIP Code|zipcode|postcode|postal_code
        |city|town|address_city|addressCity|patient_city|home_state|county|region|country|country_of_birth
        |native-country
        |country_name|city_name|country_code|nationality|citizenship|occupation|job_title|profession|employer
        |marital_status|maritalStatus|education|education_level|highest degree|race|ethnicity|ethnic_group|language
        |mother_tongue|household_size|number_of_children|num_children|height|height_cm|admission_date|discharge_date
        |date_of_admission|date_of_death|visit_date|workclass|relationship|passport_country|passport_expiry_date
        |last_login_date|job_name|phone_country_code|email_sent_date|ip_country|region_id|diagnosis_date
    """,
    "German": """
        Alter|Alter_Jahre|Altersgruppe|Patientenalter|Geschlecht|geschl|Geburtsdatum|GebDat|Geb.-Datum|GEBURTSDATUM
        |Geburtsjahr|Geburtsort|Geburtsland|PLZ|Postleitzahl|Ort|Wohnort|Stadt|Gemeinde|Landkreis|Bundesland|Land
        |Staatsangehörigkeit|Nationalität|Beruf|Berufsgruppe|Familienstand|Schulabschluss|Bildungsabschluss|Bildung
        |Haushaltsgröße|Anzahl Kinder|Körpergröße|Groesse|Größe|Aufnahmedatum|Aufnahme|Entlassungsdatum|Entlassdatum
        |Sterbedatum|Muttersprache|Migrationshintergrund|Branche|Arbeitgeber|Ländername|Adresse Ort
    """,
    "French": """
        âge|age|sexe|genre|date_naissance|date de naissance|année_naissance|lieu_naissance|code_postal|code postal|ville
        |commune|département|région|pays|nationalité|profession|métier|situation_familiale|état civil|diplôme
        |niveau_etudes|nombre_enfants|nombre d'enfants|taille|date_admission|date_sortie|langue_maternelle|employeur
    """,
    "Spanish": """
        edad|sexo|género|fecha_nacimiento|fecha de nacimiento|fecha_nac|FecNac|año_nacimiento|lugar_nacimiento
        |código_postal|codigo postal|CP|ciudad|municipio|provincia|país|nacionalidad|ocupación|profesión|estado_civil
        |nivel_educativo|estudios|número_hijos|altura|fecha_ingreso|fecha_alta|idioma|etnia
    """,
    "Italian": """
        età|eta|sesso|data_nascita|data di nascita|anno_nascita|luogo_nascita|comune_nascita|CAP|codice_postale|città
        |comune|provincia|regione|nazionalità|cittadinanza|professione|stato_civile|titolo_studio|istruzione
        |numero_figli
        |altezza|data_ricovero|data_dimissione
    """,
    "Dutch": """
        leeftijd|geslacht|geboortedatum|geb_datum|geboortejaar|geboorteplaats|geboorteland|postcode|woonplaats|gemeente
        |provincie|land|nationaliteit|beroep|burgerlijke_staat|opleiding|opleidingsniveau|aantal_kinderen|lengte
        |opnamedatum|ontslagdatum|leeftijdsgroep
    """,
    "Portuguese": """
        idade|sexo|género|data_nascimento|data de nascimento|ano_nascimento|naturalidade|código_postal|CEP|cidade
        |concelho
        |distrito|freguesia|país|nacionalidade|profissão|ocupação|estado_civil|escolaridade|habilitações
        |número_filhos|altura|data_admissão|data_alta|raça
    """,
    "Polish": """
        wiek|płeć|plec|data_urodzenia|rok_urodzenia|miejsce_urodzenia|kod_pocztowy|miasto|miejscowość|gmina|powiat
        |województwo|kraj|narodowość|obywatelstwo|zawód|stan_cywilny|wykształcenie|liczba_dzieci|wzrost|data_przyjęcia
        |data_wypisu|data_zgonu
    """,
}
SENSITIVE = {
    "English": """
        diagnosis|diagnosis_code|main_diagnosis|ICD10|icd_code|disease|disease_name|drug_name|medication|treatment
        |therapy
        |hiv_status|disability|religion|political_party|sexual_orientation|conviction|pregnancy|cause_of_death
        |has_diabetes
        |smoker
    """,
    "German": """
        Diagnose|Hauptdiagnose|Diagnosecode|Nebendiagnose|Erkrankung|Befund|Behandlung|Medikament|Medikamentenname
        |Behinderung|Konfession|Religion|Todesursache|Schwangerschaft|Vorerkrankungen|Therapie
    """,
    "French": "diagnostic|maladie|traitement|médicament|handicap|religion|grossesse|cause de décès|pathologie",
    "Spanish": "diagnóstico|enfermedad|tratamiento|medicamento|discapacidad|religión|embarazo|causa_muerte",
    "Italian": "diagnosi|malattia|farmaco|trattamento|disabilità|religione|gravidanza|nome_farmaco",
    "Dutch": "diagnose|ziekte|behandeling|medicijn|geloof|zwangerschap|doodsoorzaak",
    "Portuguese": "diagnóstico|doença|tratamento|medicamento|deficiência|religião|gravidez",
    "Polish": "rozpoznanie|diagnoza|choroba|leczenie|lek|nazwa_leku|niepełnosprawność|wyznanie|ciąża",
}
AMOUNTS = """
    income|Income|household_income|salary|hourly_wage|treatment_cost|total_charges|capital-gain|capital_loss|systolic_bp
    |blood_pressure|cholesterol|HbA1c|bmi|BMI|heart_rate|weight_kg|body_weight|birth_weight|Einkommen|Gehalt|Kosten
    |Behandlungskosten|Blutdruck|Laborwert|Körpergewicht|Geburtsgewicht|salaire|revenu|coût|tension_artérielle|salario
    |ingresos|coste|presión_arterial|reddito|stipendio|pressione|inkomen|salaris|bloeddruk|lichaamsgewicht|rendimento
    |custo|dochód|wynagrodzenie|koszt|ciśnienie|masa_ciała|peso_corporal|poids_kg|Gewicht|peso
"""
USAGE = """
    hours-per-week|visits|number_of_visits|n_visits|length_of_stay|duration_days|phone_calls|Arbeitsstunden|Verweildauer
    |Anzahl Besuche|durée_séjour|nombre_visites|días_estancia|giorni_degenza|ligduur|liczba_wizyt|percentage
"""
SAMPLING_WEIGHTS = """
    fnlwgt|wgt|pweight|sampling_weight|SamplingWeight|survey_weight|sample_weight|final_weight|person_weight|PWGTP
    |Gewichtungsfaktor|Gewichtsfaktor|Hochrechnungsfaktor|pondération|ponderacion|factor_expansion|peso_campione
    |peso_campionario|weegfactor|ponderação|waga_próby
"""
NO_IDENTIFIERS = """
    hospital_name|drug_name|country_name|company_name|brand_name|school_name|product_name|product_code|department_name
    |device_type|insurance_type|license_class|licence_type|address_type|account_type|phone_calls|number_of_phones
        |n_patients|num_accounts
    |num_phones|phone_type|phone_model|phone_verified|email_verified|email_domain|has_phone|is_patient|patient_status
    |patient_type|type_of_address|name_length|name_suffix|insurance_status|case_type|case_status|customer_category
    |customer_segment|contract_duration|member_since|order_date|order_amount|transaction_amount|card_type|language_name
    |station_name|ward_name|study_name|month_name|file_name|table_name|variable_name|species_name|city_name|race_name
    |acid|width|valid|paid|covid|grid|fluid|humidity|middle|message|image|storage|damage|package|percentage|average
    |passage|postage|usage|tournament|nameless|phonetic|addressed|streetlight|mailing|emailing|idle|ideal
    |Krankenhausname|Klinikname|Stationsname|Abteilungsname|Firmenname|Medikamentenname|Versicherungsart|Krankenkasse
    |Kundengruppe|Patientenalter|Patientenstatus|Gerätetyp|Kontoart|Anzahl Patienten|Vertragsart|Vertragsdatum
    |Fallzahl|Telefon geprüft|Adresstyp|Produktname|Geburtsland
    |nom_hopital|nom_du_médicament|nom_commune|type_adresse|type_téléphone|nombre_enfants|nombre_de_visites
    |catégorie_client|statut_patient
    |nombre_hospital|nombre_del_medicamento|tipo_dirección|tipo_teléfono|edad_paciente|sexo_paciente|nombre_empresa
    |nome_ospedale|nome_farmaco|tipo_indirizzo|età_paziente|nome_azienda|stato_paziente
    |naam_ziekenhuis|ziekenhuisnaam|adrestype|leeftijd_patient|soort_adres
    |nome_hospital|nome_medicamento|tipo_morada|idade_paciente|nome_empresa
    |nazwa_szpitala|nazwa_leku|rodzaj_adresu|wiek_pacjenta|nazwa_firmy|nazwa
"""


def names(text: str) -> list[str]:
    return [name.strip() for name in text.replace("\n", "").split("|")]


def listed(table: dict[str, str]) -> list[str]:
    return [name for text in table.values() for name in names(text)]


@pytest.mark.parametrize("name", listed(IDENTIFIERS))
def test_identifiers(name: str) -> None:
    assert name_meaning(name) is NameMeaning.IDENTIFIER


@pytest.mark.parametrize("name", listed(QUASI_IDENTIFIERS))
def test_quasi_identifiers(name: str) -> None:
    # the number of a region is an identifier of persons only where nearly every value is unique
    possible = {NameMeaning.POSSIBLE_IDENTIFIER} if name == "region_id" else set()
    assert name_meaning(name) in {NameMeaning.QUASI_IDENTIFIER, *possible}


@pytest.mark.parametrize("name", listed(SENSITIVE))
def test_sensitive_attributes(name: str) -> None:
    assert name_meaning(name) is NameMeaning.SENSITIVE


@pytest.mark.parametrize(
    ("text", "said"),
    [(AMOUNTS, NameMeaning.AMOUNT), (USAGE, NameMeaning.USAGE), (SAMPLING_WEIGHTS, NameMeaning.SAMPLING_WEIGHT)],
)
def test_measurements_and_weights(text: str, said: NameMeaning) -> None:
    assert {name: name_meaning(name) for name in names(text)} == dict.fromkeys(names(text), said)


@pytest.mark.parametrize("name", names(NO_IDENTIFIERS))
def test_no_identifiers(name: str) -> None:
    assert name_meaning(name) not in {
        NameMeaning.IDENTIFIER,
        NameMeaning.LIKELY_IDENTIFIER,
        NameMeaning.POSSIBLE_IDENTIFIER,
    }


@pytest.mark.parametrize("name", ["patient", "Patient", "Kunde", "client", "paziente", "device", "account", "Fall"])
def test_words_that_name_persons_by_themselves(name: str) -> None:
    assert name_meaning(name) is NameMeaning.LIKELY_IDENTIFIER


@pytest.mark.parametrize(
    "name", ["hospital_id", "station_no", "education-num", "study_id", "Zimmernummer", "N° séjour"]
)
def test_numbers_of_things_identify_only_if_unique(name: str) -> None:
    assert name_meaning(name) is NameMeaning.POSSIBLE_IDENTIFIER


@pytest.mark.parametrize(
    "name",
    ["notes", "Bemerkung", "Observations", "uwagi", "Opmerking", "comentarios"],
)
def test_remarks(name: str) -> None:
    assert name_meaning(name) is NameMeaning.FREE_TEXT


def test_a_weight_may_be_of_two_kinds() -> None:
    assert name_meaning("weight") is NameMeaning.WEIGHT


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Straße_birthDate2", ["strasse", "birth", "date"]),
        ("IDNumber", ["id", "number"]),
        ("patientID", ["patient", "id"]),
        ("Größe", ["grosse"]),
        ("Groesse", ["grosse"]),
        ("Miejscowość", ["miejscowosc"]),
        ("", []),
        ("12", []),
        ("名前", ["名前"]),
    ],
)
def test_words(name: str, words: list[str]) -> None:
    assert normalized_words(name) == words


def test_names_are_many() -> None:
    """A table of a few hundred names in each sense."""
    assert len(listed(IDENTIFIERS)) > 350
    assert len(listed(QUASI_IDENTIFIERS)) > 200
    assert len(names(NO_IDENTIFIERS)) > 120
