"""Lexicon of words in column names, by sense: English, German, French, Spanish, Italian, Dutch, Portuguese and Polish.

Words have no case and no diacritics; multi-word terms are joined, such as ``dateofbirth``.
"""

from __future__ import annotations

from enum import Enum, auto


class WordSense(Enum):
    """What a word in a column name indicates about the values."""

    NAME = auto()
    """A name: of a person, unless the column name also names a thing."""
    PERSONAL = auto()
    """Identifies a person directly."""
    ADDRESS = auto()
    """An address or a telephone number, unless the column name restricts it to a city or a country code."""
    PERSON = auto()
    """A person in some role: identifies by number or name."""
    ACCOUNT = auto()
    """Belongs to one person, such as a contract: identifies by number."""
    ID = auto()
    NUMBER = auto()
    CODE = auto()
    THING = auto()
    """Neither a person nor something that belongs to one."""
    QUASI = auto()
    """May be known to others."""
    PLACE = auto()
    POSTCODE = auto()
    AGE = auto()
    DATE = auto()
    SENSITIVE = auto()
    AMOUNT = auto()
    """Health measurements and amounts of money."""
    USAGE = auto()
    """Other measurements: hours, visits, days."""
    SAMPLING_WEIGHT = auto()
    WEIGHT = auto()
    """A sampling weight or a body weight."""
    BODY = auto()
    """Indicates a body weight."""
    UNIT = auto()
    """A unit of weight."""
    ASPECT = auto()
    """Qualifies another word of the column name, such as its type."""
    TEXT = auto()
    """Free text, which may contain names of persons."""
    COUNT = auto()
    FLAG = auto()
    LINK = auto()
    """A preposition or an article."""


_WORDS = {
    WordSense.NAME: """
        name names fullname vorundnachname nom noms nombre nombres nome nomi nomes naam namen
    """,
    WordSense.PERSONAL: """
        nrss noss
        first last permisoconducir surname surnames forename forenames firstname givenname lastname middlename
        maidenname nickname familyname marriedname birthname fname lname mname initials username userid login loginname
        loginid signature fingerprint photo firstnames lastnames middleinitial motherfirstname screenname displayname
        contactname legalname realname vorname vornamen nachname nachnamen familienname geburtsname rufname zuname
        madchenname spitzname benutzername benutzerkennung anmeldename unterschrift foto lichtbild fingerabdruck prenom
        prenoms nomdefamille nomfamille nomnaissance nomdenaissance nomusage nomdusage patronyme surnom utilisateur
        nomutilisateur identifiant signataire empreinte apellido apellidos nombredepila nombrecompleto nombreyapellidos
        nombreapellidos apodo usuario nombreusuario cognome cognomi nomecognome nomeecognome soprannome nomeutente
        utente nominativo voornaam voornamen achternaam achternamen roepnaam voorletters tussenvoegsel meisjesnaam
        gebruikersnaam gebruiker handtekening apelido apelidos sobrenome sobrenomes nomecompleto nomeproprio alcunha
        usuariosistema utilizador assinatura imie imiona nazwisko nazwiska imienazwisko imieinazwisko imieojca imiematki
        nazwiskorodowe nazwiskopanienskie nazwauzytkownika uzytkownik podpis zdjecie odciskpalca inicjaly iniciales
        iniziali initialen initiales email emails mail mails emailaddress mailaddress mailadresse emailadresse
        emailadres courriel couriel adressemail adresseemail correo correoelectronico correoe direccionemail
        postaelettronica indirizzoemail mailadres endereoemail enderecoemail correioeletronico adresemail
        pocztaelektroniczna poczta handy handynr mobil mobilnr telefax fax faxnr faxnumber faxnummer portable gsm
        whatsapp skype twitter facebook instagram linkedin telegram socialmedia street streetname streetaddress strasse
        strassen strassenname str hausnr hausnummer housenumber housenr houseno strassehausnummer postfach pobox rue
        nomrue voie numerorue numerovoie boitepostale calle numerodecalle numeroportal via civico numerocivico straat
        straatnaam huisnummer huisnr huisnummertoevoeging postbus rua logradouro numeroporta ulica ulicy nrdomu
        numerdomu nrmieszkania numermieszkania nrlokalu ausweis ausweisnr ausweisnummer personalausweis perso
        cartedidentite carteidentite cni cartadidentita cartaidentita identiteitskaart rijbewijs rijbewijsnummer
        cartaocidadao cartaodecidadao bilhetedeidentidade bilheteidentidade dowod dowodosobisty nrdowodu
        seriainumerdowodu prawojazdy iban accountnumber accountno accountnr bankaccount kontonummer kontonr
        bankverbindung kontoverbindung numerodecompte numerocompte rib comptebancaire cuentabancaria numerocuenta
        contobancario contocorrente numeroconto rekeningnummer bankrekening bankrekeningnummer contabancaria
        numerodaconta numeroconta nib rachunek rachunekbankowy nrrachunku numerrachunku nrkonta numerkonta kontobankowe
        creditcard creditcardnumber creditcardno cardnumber cardno ccnumber kreditkarte kreditkartennummer kartennummer
        cartebancaire numerocarte tarjetadecredito tarjetacredito numerotarjeta cartadicredito numerocarta
        creditcardnummer kaartnummer cartaodecredito cartaocredito numerocartao kartakredytowa nrkarty numerkarty pan
        ssn ssnr nin nino nhs nhsno nhsnumber nhsnr mrn socialsecurity socialsecuritynumber socialsecurityno
        socialinsurancenumber nationalid nationalidentifier nationalinsurance nationalinsurancenumber taxid taxpayerid
        tin itin medicalrecordnumber medicalrecordno medicare medicaid medicarenumber medicaidid mbi hicn
        beneficiarynumber drivinglicence drivinglicense driverslicense driverlicense driverlicence licensenumber
        licenseno licencenumber licenceno vin vehicleid steuerid steuernummer steuernr steueridnr
        steueridentifikationsnummer idnr sozialversicherungsnummer sozialversicherungsnr svnr svnummer sozialversnr
        rentenversicherungsnummer rvnr kvnr kvnummer krankenversichertennummer krankenversichertennr
        krankenversicherungsnummer versichertennummer versichertennr versichertenid versnr versicherungsnummer
        versicherungsnr vsnr vnr egknr egknummer ahv ahvnr ahvnummer svnrat fuhrerschein fuhrerscheinnummer
        fuhrerscheinnr kfzkennzeichen autokennzeichen nummernschild fahrgestellnummer personalnummer personalnr persnr
        pnr matrikelnummer matrikelnr mitgliedsnummer mitgliedsnr nir numerosecuritesociale nosecuritesociale
        securitesociale secu numerosecu numsecu nss ipp ndd nopatient insee numerodesecuritesociale numeroinsee
        cartevitale permisdeconduire permisconduire plaque plaqueimmatriculation immatriculation numerofiscal
        numeroadherent numeroassure matricule dni nie nif nuss seguridadsocial numeroseguridadsocial
        numerodeseguridadsocial numeroafiliacion nhc historiaclinica numerohistoria numerodehistoria tarjetasanitaria
        cip curp rfc matricula permisodeconducir codicefiscale codfiscale cf codfisc tesserasanitaria tessera
        numerotessera
        patente numeropatente targa cartellaclinica bsn burgerservicenummer sofinummer rijksregisternummer
        verzekerdennummer polisnummer kenteken patientnummer klantnummer personeelsnummer cpf cnpj rg niss nus sns
        numeroutente numerodeutente numerosns numerodecontribuinte contribuinte segurancasocial numerodesegurancasocial
        cartadeconducao cartaconducao placa cns cartaosus cartaosaude pesel nip nrpesel numerpesel numerewidencyjny
        nrrejestracyjny numerrejestracyjny tablicarejestracyjna nrubezpieczenia numerubezpieczenia url urls website
        webpage homepage siteweb sitioweb sitoweb stronawww mac macaddress macaddr imei imsi iccid serialnumber serialno
        seriennummer uuid guid hostname cookie deviceid pseudonym pseudonymid hashedid emailhash
    """,
    WordSense.ADDRESS: """
        address addr addressline addresses homeaddress postaladdress mailingaddress phone phones telephone telephones
        tel phonenumber phoneno mobile mobilephone cellphone cell telno telnr adresse adressen anschrift wohnanschrift
        wohnadresse postanschrift meldeadresse telefon telefonnr telefonnummer mobilfunk mobiltelefon rufnummer festnetz
        telefonnummern fon handynummer mobilnummer adressepostale adressedomicile telephonefixe telephoneportable
        telfixe telportable numtel numtelephone direccion direcciones domicilio telefono telefonos movil celular
        telefonomovil telefonofijo numerotelefono indirizzo indirizzi recapito telefonofisso cellulare numeroditelefono
        numerodicellulare residenzaindirizzo adres woonadres postadres telefoon telefoonnummer telefoonnr mobiel
        mobieltje gsmnummer mobielnummer endereco enderecos morada moradas telefone telefones telemovel numerodetelefone
        adreszamieszkania adreskorespondencyjny adreszameldowania telefonu nrtelefonu numertelefonu komorka komorkowy
        telefonkomorkowy ip ipaddress ipaddr ipadresse ipadres ipv4 ipv6 passport passportno passportnumber passnr
        passnummer reisepass reisepassnr passeport numeropasseport pasaporte numeropasaporte passaporto paspoort
        paspoortnummer passaporte paszport nrpaszportu licenseplate licenceplate numberplate platenumber plateno plate
    """,
    WordSense.PERSON: """
        medecintraitant medicocurante lekarzprowadzacy accountmanager casemanager patient patients pat pt ptnt person
        persons pers people subject subj participant respondent resp proband client clients customer customers cust
        member members employee employees emp staff worker student students pupil user users insured policyholder
        beneficiary claimant applicant donor tenant resident citizen inmate prisoner offender victim guest passenger
        driver child mother father parent parents spouse guardian baby newborn infant sibling physician doctor dr gp
        nurse teacher therapist surgeon provider contact emergencycontact author owner holder insurant enrollee caller
        caregiver relative nextofkin reporter sender recipient patienten patientin personen kunde kunden kundin mitglied
        mitglieder mitglieds mitarbeiter angestellte beschaftigte schuler schulerin studierende studenten teilnehmer
        probanden versicherte versicherten versicherter krankenversicherten arzt arztin arzte hausarzt behandler kind
        mutter vater eltern ehepartner partner antragsteller mieter bewohner einwohner spender besitzer inhaber kranken
        leistungsempfanger patiente personne sujet participante clientele adherent employe salarie etudiant eleve assure
        beneficiaire medecin enfant mere pere conjoint parente allocataire locataire paciente pacientes persona personas
        sujeto cliente clientes miembro empleado empleados trabajador estudiante alumno asegurado beneficiario medico
        hijo madre padre conyuge solicitante titular paziente pazienti soggetto partecipante dipendente lavoratore
        studente alunno assicurato figlio coniuge assistito intestatario persoon deelnemer klant klanten lid werknemer
        medewerker leerling verzekerde arts huisarts moeder vader bewoner doente utentes sujeito trabalhador funcionario
        empregado aluno segurado medica filho mae pai conjuge pacjent pacjenta pacjentka osoba osoby uczestnik
        uczestnika klient klienta czlonek czlonka pracownik pracownika studenta uczen ucznia ubezpieczony ubezpieczonego
        lekarz lekarza dziecko dziecka matka matki ojciec ojca malzonek wnioskodawca
    """,
    WordSense.ACCOUNT: """
        license licence permit prescriptionnumber verordnung household hh family account acct insurance policy contract
        claim invoice order transaction case episode encounter record specimen sample biosample device booking
        reservation ticket subscription card loyalty versicherungs versicherung krankenversicherung krankenversicherungs
        haushalt haushalts familie familien fall konto konten vertrag vertrags rechnung rechnungs auftrag auftrags
        bestellung akte akten aktenzeichen patientenakte probe proben gerat gerate foyer menage famille compte assurance
        contrat facture commande dossier dossiers echantillon familia hogar cuenta seguro poliza contrato factura pedido
        expediente caso muestra famiglia nucleofamiliare conto assicurazione polizza contratto fattura ordine pratica
        cartella campione gezin huishouden rekening verzekering polis factuur bestelling geval monster toestel agregado
        conta apolice fatura encomenda processo processoclinico amostra ubezpieczenie ubezpieczenia rodzina rodziny
        gospodarstwo konta polisa polisy umowa umowy faktura faktury zamowienie zamowienia przypadek przypadku karta
        karty historiachoroby probka probki
    """,
    WordSense.ID: """
        seqn respid eid pidp pernum hhid mergeid lfd lopnr id ids identifier identifiers ident identification identity
        identnr identnummer kennung idno idnumber idcode identificador identificativo identificatore identificatie
        identificacion identificacao identificacja identyfikator sysid rowid pid pids ptid patid uid casenumber caseno
        casenr fallnr fallnummer kennziffer pseudonymized lfdnr laufendenummer laufnummer rownumber rownr rownum
        recordnumber recordno recno
    """,
    WordSense.NUMBER: """
        n no nr num number numbers nbr numero numeros nummer nummern numer numery nro ndeg key keys schluessel schlussel
        cle clave llave chiave chave sleutel klucz
    """,
    WordSense.CODE: """
        code codes cod codigo codice kode kod codici kennzahl kennzeichen
    """,
    WordSense.AGE: """
        age ages alter alters lebensalter edad eta leeftijd idade wiek wieku agegroup altersgruppe altersklasse
    """,
    WordSense.DATE: """
        date dates dt datum dat fecha fec dataora datetime time times timestamp year years month months quarter jahr
        jahre jahrgang monat tag uhrzeit zeit zeitpunkt zeitstempel annee an mois heure ano anno anyo mes hora mese ora
        jaar maand tijd tijdstip rok roku miesiac miesiaca godzina termin expiry expires issued created updated modified
        yyyy mm yr yrs since until
    """,
    WordSense.POSTCODE: """
        zip zipcode postcode postalcode postal plz postleitzahl codepostal cp codigopostal cap codicepostale
        codicediavviamentopostale pc4 pc6 codigopostale cep kodpocztowy pocztowy kodpoczt areacode dialingcode vorwahl
        countrycode
    """,
    WordSense.PLACE: """
        place city cities town village municipality district county counties region province state country countries
        nation area neighborhood neighbourhood borough canton suburb locality community territory continent
        nativecountry ort orts wohnort wohn stadt stadtteil gemeinde gemeindename landkreis kreis bezirk bundesland land
        lander staat kanton ortsteil regierungsbezirk geburtsland herkunftsland ville lieu commune departement
        departements pays arrondissement quartier lieunaissance ciudad municipio localidad provincia comunidad
        comunidadautonoma estado pais distrito barrio poblacion lugar citta comune localita regione paese stato luogo
        quartiere residenza nazione stad plaats woonplaats gemeente provincie streek wijk buurt geboorteplaats
        geboorteland cidade concelho freguesia bairro regiao naturalidade localidade uf miasto miejscowosc gmina powiat
        wojewodztwo kraj miejsce panstwo dzielnica miejscezamieszkania miejsceurodzenia zamieszkania
    """,
    WordSense.QUASI: """
        dataur naiss datenaiss nombreenfants nombrepersonnes sex gender male female birth born nationality citizenship
        native origin residence residency occupation job jobs profession employer employment industry sector workclass
        marital maritalstatus civilstatus civil married education edu degree educ qualification race racial ethnicity
        ethnic language tongue mothertongue children kids dependents householdsize familysize relationship relation
        kinship migration immigrant veteran housing homeownership height bodyheight stature rooms tenure position
        jobtitle title salutation admission admit admitted discharge discharged death died deceased schooling latitude
        longitude lat lon lng gps coordinates easting northing eyecolor haircolor geschlecht sexe geburts geburt geboren
        herkunft nationalitat staatsangehorigkeit staatsburgerschaft wohnsitz beruf berufs berufsgruppe tatigkeit
        arbeitgeber branche wirtschaftszweig familienstand zivilstand personenstand bildung bildungs bildungsabschluss
        schulabschluss schulbildung ausbildung ausbildungs abschluss ethnie ethnizitat sprache muttersprache kinder
        kinderzahl haushaltsgrosse haushaltsmitglieder koerpergrosse korpergrosse grosse anrede titel aufnahme aufnahmen
        aufn entlassung entlassungs entl entlass tod sterbe todes verstorben stellung geschl erwerbsstatus
        migrationshintergrund breitengrad langengrad genre naissance ne neele nationalite citoyennete origine metier
        emploi employeur secteur etatcivil situationfamiliale situationmatrimoniale statutmatrimonial diplome
        niveauetudes etudes niveaudetudes langue languematernelle enfants taillemenage taillefoyer taille civilite
        entree sortie deces csp categoriesocioprofessionnelle sexo genero nacimiento nac nacido nacionalidad ciudadania
        origen ocupacion profesion oficio empleo empleador estadocivil educacion estudios niveleducativo nivelestudios
        titulacion raza etnia idioma lengua hijos tamanohogar altura estatura talla alta fallecimiento defuncion
        fechaalta sesso nascita nato nazionalita cittadinanza occupazione professione mestiere lavoro datoredilavoro
        settore statocivile istruzione titolodistudio titolostudio razza lingua madrelingua figli altezza statura
        ricovero dimissione decesso morte componenti geslacht geboorte geb nationaliteit staatsburgerschap herkomst
        beroep werkgever bedrijfstak burgerlijkestaat opleiding opleidingsniveau diploma onderwijs ras etniciteit taal
        moedertaal kinderen gezinsgrootte lengte lichaamslengte aanhef opname ontslag overlijden overleden
        huishoudgrootte nascimento nasc nascido nacionalidade cidadania origem ocupacao profissao emprego empregador
        setor escolaridade educacao habilitacoes habilitacoesliterarias grauinstrucao raca racacor linguamaterna filhos
        internamento internacao admissao obito falecimento plec urodzenia urodzenie narodowosc obywatelstwo pochodzenie
        zawod zawodu stanowisko pracodawca branza stancywilny wyksztalcenie edukacja rasa jezyk jezykojczysty dzieci
        liczbadzieci wzrost przyjecia przyjecie wypisu wypis zgonu zgon dob birthdate birthday yob dateofbirth gebdat
        gebdatum geburtsdatum geburtstag geburtsjahr geburtsort dnaiss datenaissance fechanacimiento fechanac fnac
        datanascita datanascimento datanasc geboortedatum dataurodzenia rokurodzenia adm admdate dischdate maritalst
        hsize hhsize nchild nkids
    """,
    WordSense.SAMPLING_WEIGHT: """
        pspwght pspweight dweight anweight fnlwgt wgt wgts wgtp pwgtp pweight pweights perwt hhwt finalwt finalweight
        finalwgt samplingweight sampleweight samplewt surveyweight designweight personweight householdweight
        replicateweight weightfactor weightingfactor weighting wtfinal wtint2yr wtmec2yr expansionfactor
        inverseprobability ipw gewichtung gewichtungs gewichtungsfaktor gewichtsfaktor hochrechnungsfaktor hochrechnung
        stichprobengewicht designgewicht personengewicht haushaltsgewicht anpassungsgewicht ponderation poidssondage
        poidsdesondage coefficientdeponderation coefficientponderation poidsechantillon ponderacion factorponderacion
        factordeponderacion factorexpansion factordeexpansion pesomuestral fexp pesocampione pesocampionario
        ponderazione coefficientediponderazione coefficienteponderazione pesofinale weegfactor wegingsfactor
        ophoogfactor steekproefgewicht weging ponderacao fatorponderacao fatordeponderacao fatorexpansao fatordeexpansao
        pesoamostral pesoamostra wagaproby wagaanalityczna wagapopulacyjna wagabadawcza
    """,
    WordSense.WEIGHT: """
        weight weights wt wts gewicht poids peso pesi waga
    """,
    WordSense.BODY: """
        body korper corporel
        corporal corporeo lichaams ciala kilo
    """,
    WordSense.UNIT: """
        kg lb lbs pounds kilograms gramm grams kilogramm g
    """,
    WordSense.SENSITIVE: """
        diagnosis diagnoses diag dx disease diseases illness condition conditions icd icd10 symptom symptoms treatment
        therapy medication medications medicine drug drugs prescription hiv aids disability disabled religion religious
        belief faith denomination politics political vote voted party union sexual orientation sexuality conviction
        convictions crime criminal offence offense arrest addiction genetic genotype pregnancy pregnant suicide abuse
        violence allergy allergies comorbidity comorbidities cancer tumor tumour diabetes hypertension smoking smoker
        alcohol mental psychiatric depression procedure surgery operation vaccination cause causeofdeath outcome
        infection diagnosen diagnosecode diagnosetext hauptdiagnose nebendiagnose erkrankung erkrankungs krankheit
        krankheits befund befunde behandlung behandlungs therapie medikament medikamente medikamenten wirkstoff
        arzneimittel behinderung schwerbehinderung konfession glaube partei gewerkschaft vorstrafe vorstrafen straftat
        sucht schwangerschaft schwanger allergie allergien vorerkrankung vorerkrankungen todesursache raucher sexuelle
        orientierung symptome diagnostic diagnostics maladie maladies symptomes traitement medicament medicaments
        handicap confession parti syndicat condamnation grossesse enceinte pathologie cim cim10 causededeces
        orientationsexuelle invalidite fumeur diagnostico diagnosticos enfermedad enfermedades sintoma sintomas
        tratamiento terapia medicamento medicamentos farmaco farmacos discapacidad partido sindicato condena embarazo
        embarazada alergia patologia cie10 causamuerte orientacionsexual fumador diagnosi malattia malattie sintomo
        sintomi trattamento medicinale farmaci disabilita religione partito sindacato condanna gravidanza allergia
        patologie causadimorte orientamentosessuale fumatore diagnose aandoening ziekte ziekten behandeling medicatie
        medicijn medicijnen geneesmiddel geloof godsdienst politiekepartij vakbond veroordeling zwangerschap zwanger
        seksuele doodsoorzaak roker doenca doencas tratamento deficiencia religiao condenacao gravidez gravida
        causamorte diagnosticoprincipal fumante diagnoza diagnozy rozpoznanie rozpoznania choroba choroby objaw objawy
        leczenie lek leku leki leczenia niepelnosprawnosc religia wyznanie partia zwiazekzawodowy wyrok ciaza alergie
        przyczynazgonu orientacjaseksualna
    """,
    WordSense.AMOUNT: """
        hb hba birthweight bodyweight bodymass korpergewicht koerpergewicht geburtsgewicht poidscorporel poidsnaissance
        pesocorporal pesonacimiento pesocorporeo pesoallanascita lichaamsgewicht geboortegewicht pesoaonascer masaciala
        masyciala income incomes salary salaries wage wages earnings pay pension benefit benefits debt debts loan loans
        mortgage balance cost costs price charge charges fee fees amount amounts expense expenses expenditure spending
        payment payments premium revenue profit turnover gain gains loss losses wealth assets savings credit creditscore
        tax taxes rent bp blood pressure systolic diastolic sbp dbp glucose hba1c cholesterol hdl ldl triglycerides
        creatinine hemoglobin haemoglobin hematocrit platelets leukocytes wbc rbc sodium potassium albumin bilirubin crp
        psa tsh egfr gfr urea ferritin bmi pulse heartrate temperature temp spo2 oxygen saturation respiratory lab labs
        labvalue viral cd4 dose dosage insulin waist hip score scores iq gpa einkommen gehalt lohn bruttolohn nettolohn
        rente schulden kredit kosten behandlungskosten betrag preis gebuhr gebuhren umsatz gewinn verlust vermogen miete
        steuern ausgaben beitrag pramie brutto netto blutdruck blutzucker blut systolisch diastolisch cholesterin
        kreatinin hamoglobin laborwert laborwerte korpertemperatur temperatur puls herzfrequenz dosis punktzahl rr
        revenu revenus salaire dette dettes cout couts prix montant frais loyer depenses impot tension tensionarterielle
        glycemie imc pouls ingreso ingresos salario sueldo renta deuda deudas coste costes costo precio importe gasto
        gastos alquiler presion presionarterial tensionarterial glucosa colesterol creatinina hemoglobina pulso
        temperatura reddito redditi stipendio retribuzione pensione debito debiti costi prezzo importo spesa spese
        affitto pressione pressionearteriosa glicemia colesterolo emoglobina polso inkomen salaris loon schuld prijs
        bedrag uitgaven huur bloeddruk bloedsuiker hartslag temperatuur rendimento rendimentos renda vencimento divida
        dividas custo custos preco valor despesa despesas pressaoarterial pressao glicose pulsacao dochod dochody pensja
        wynagrodzenie emerytura dlug dlugi koszt koszty cena kwota wydatki czynsz cisnienie glukoza kreatynina tetno
    """,
    WordSense.USAGE: """
        nombrevisites nombresejours hour hours minute minutes second seconds visit visits calls call stay stays
        lengthofstay los duration days weeks attendance consultations appointments contacts trips purchases clicks
        logins sessions absences distance mileage consumption measurement percent percentage rate ratio concentration
        probability index stunden arbeitsstunden wochenstunden minuten sekunden besuch besuche kontakte verweildauer
        liegedauer aufenthaltsdauer dauer fehltage krankentage tage wochen entfernung verbrauch messwert anteil prozent
        heures visites visite sejour dureesejour dureedesejour duree semaines horas minutos visitas visita estancia
        diasestancia duracion semanas citas ore minuti degenza giornidegenza durata giornate uren bezoeken bezoek
        verblijfsduur ligduur duur dagen weken consultas estadia tempointernamento duracao godziny godzin minuty wizyty
        wizyta wizyt pobyt pobytu dlugoscpobytu czaspobytu czastrwania tygodnie
    """,
    WordSense.COUNT: """
        anz count counts cnt nb numberof nof anzahl zahl quantity qty total sum liczba ilosc aantal cantidad quantita
        quantidade
    """,
    WordSense.ASPECT: """
        type types typ typen class klasse category categories group groups gruppe status level levels stage flag
        indicator reason purpose source quality valid validity validated verified verification format length size suffix
        prefix domain coverage limit threshold available availability missing opt optin change changes changed confirmed
        accuracy match matched method mode scheme phase priority risk usage os art kategorie gruppen zustand stufe grund
        zweck quelle qualitat gultig einwilligung lange vorhanden anderung gepruft kasse kassenart classe categorie
        sorte groupe statut niveau motif raison qualite valide verifie consentement longueur tipo tipos clase categoria
        grupo nivel motivo calidad valido verificado consentimiento longitud tipologia gruppo livello qualita consenso
        lunghezza soort groep reden bron kwaliteit toestemming geldig qualidade consentimento grau rodzaj kategoria
        grupa stan poziom powod zrodlo jakosc zgoda klasa brand model make app browser platform version manufacturer
        vendor carrier marke modell hersteller marque fabricant modele marca modelo fabricante merk marka used consent
    """,
    WordSense.THING: """
        monthname dayname weekdayname monatsname nommois hospital hospitals clinic ward department dept unit room bed
        floor facility institution organization organisation company firm product item article goods store shop branch
        site location station center centre school university college course exam study trial project program programme
        plan file document form filename path folder table column field variable parameter dataset system server host
        service test assay gene variant species strain breed animal pet plant event vehicle car software channel
        campaign team club list menu track song album book film movie game day weekday week season holiday cluster
        stratum batch lot run wave round survey questionnaire question answer tract block segment zone grid cohort arm
        tariff supplier bank insurer airline agency office court ministry meal food recipe color colour krankenhaus
        krankenhauser klinik kliniken abteilung abteilungs stations zimmer bett einrichtung einrichtungs firma firmen
        unternehmen unternehmens produkt artikel filiale filialen standort schule schulen schul universitat hochschule
        kurs prufung studie studien projekt datei ordner tabelle spalte feld dokument formular labor labortest ereignis
        fahrzeug lieferant behorde gericht wochentag farbe tier pflanze verein hopital clinique etablissement batiment
        chambre lit societe entreprise produit magasin ecole universite cours etude projet fichier fournisseur vehicule
        couleur essai jour jours hospitales clinica servicio empresa producto tienda escuela colegio universidad curso
        estudio proyecto archivo proveedor vehiculo centro planta habitacion cama dia ospedale reparto stanza letto
        azienda ditta marchio prodotto negozio scuola corso studio progetto archivio fornitore veicolo colore struttura
        giorno farmacia esame ziekenhuis kliniek afdeling kamer bedrijf bedrijfs winkel universiteit cursus onderzoek
        bestand leverancier voertuig kleur instelling dag loja escola faculdade arquivo ficheiro fornecedor estudo
        ensaio enfermaria quarto leito produto nazwa szpital szpitala oddzial oddzialu pokoj lozko firmy produktu sklep
        szkola szkoly uniwersytet badanie badania projektu plik pliku dostawca pojazd kolor dzien placowka placowki
    """,
    WordSense.TEXT: """
        note notes remark remarks comment comments narrative freetext bemerkung bemerkungen kommentar kommentare
        anmerkung anmerkungen notiz notizen freitext observation observations commentaire commentaires remarque
        remarques observaciones comentario comentarios nota notas osservazioni commento commenti opmerking opmerkingen
        toelichting observacoes uwagi komentarz komentarze
    """,
    WordSense.FLAG: """
        has is had was hat ist hatte tiene possui heeft czy ma
    """,
    WordSense.LINK: """
        of the a at in on to for from by per with and or as de del della delle dello dei degli di da do dos das du des d
        l la le les el las al y e et en van der den die het von vom zu zum zur im am bei und na z od dla i o po my your
        his her
    """,
}

WORD_SENSES = {word: sense for sense, words in reversed(_WORDS.items()) for word in words.split()}
"""The sense of each word; ambiguous words have the sense that is more specific to persons."""

_COUNT_NOUNS = """
    patients clients users customers employees students devices accounts emails contacts cases orders claims
    visits calls children kids persons people members phones rooms days stays hours enfants visites personnes jours
    heures consultations sejours pieces appels adultes adults consultas hijos visitas filhos figli componenti
    giorni dzieci osob kinderen kinder personen
"""
COUNT_NOUNS = frozenset(_COUNT_NOUNS.split())
"""Plural nouns: a number before one of them is a count."""
