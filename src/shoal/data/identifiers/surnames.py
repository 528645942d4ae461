"""Common surnames, to recognize columns of person names; without those that have other meanings."""

from __future__ import annotations

_BY_LANGUAGE = {
    "en": """
        adams allen anderson bailey bennett brooks campbell carter clarke collins davies davis edwards evans griffin
        griffiths harris harrison hughes jackson james jenkins johnson jones kelly lewis martin mitchell morgan
        morris murphy nelson parker patterson phillips powell reynolds richardson roberts robinson rogers russell
        sanders simmons simpson smith stewart sullivan thomas thompson thomson watson wilkinson williams williamson
        wilson
    """,
    "de": """
        albrecht becker bergmann brandt dietrich engel franke friedrich gunther hartmann heinrich herrmann hoffmann
        hofmann huber jager koehler kohler kraus krause kruger kuhn kuehn lehmann lorenz maier mayer meier meyer
        möller moller müller muller neumann otto peters pfeiffer pohl roth schafer schäfer schmid schmidt schmitt
        schmitz scholz schroder schröder schubert schulte schulz schulze schumacher schuster seidel simon thomas
        vogt wagner walter werner winkler wolff ziegler zimmermann
    """,
    "fr": """
        andre bernard bertrand bonnet boyer chevalier david dubois dufour dupont durand faure fontaine fournier
        francois garnier gauthier gerard girard guerin henry lambert laurent leclerc lefebvre lefevre leroy martin
        masson mathieu mercier michel moreau morel muller nicolas perrin renard richard riviere robert robin
        rousseau roussel roux simon thomas vidal vincent
    """,
    "es": """
        alonso alvarez delgado diaz dominguez fernandez garcia gil gomez gonzalez gutierrez hernandez iglesias
        jimenez lopez lozano martinez molina muñoz munoz navarro nuñez ortega ortiz perez ramirez ramos rodriguez
        romero ruiz sanchez sanz suarez vazquez
    """,
    "it": """
        barbieri bianchi bianco caputo caruso cattaneo colombo conte conti costa costantini damico deluca esposito
        fabbri ferrara ferrari ferraro galli gentile giordano greco grassi lombardi longo mancini mariani marini
        marino martinelli martini mazza messina moretti morelli parisi pellegrini rinaldi ricci rizzo romano
        rossetti rossi russo santoro serra silvestri valentini vitale
    """,
    "nl": """
        bakker brouwer dekker dijkstra driessen haan hendriks hoekstra huisman jacobs jansen janssen jong kramer
        kuipers leeuwen martens meijer mulder peters postma sanders schouten scholten smit smits vermeulen verbeek
        visser vliet vries willems willemsen
    """,
    "pt": """
        almeida alves andrade antunes araujo azevedo barbosa barros batista borges cardoso carvalho correia cunha
        dias domingues esteves faria fernandes ferreira fonseca freitas gomes goncalves gonçalves henriques lima
        lopes lourenco magalhaes marques martins melo mendes monteiro moreira nascimento nunes oliveira pereira
        pinheiro pires ribeiro rodrigues silva simoes soares sousa souza tavares teixeira vieira
    """,
    "pl": """
        adamczyk baran borkowski cieslak czarnecki dabrowski dąbrowski duda dudek gorski górski grabowski jablonski
        jankowski jaworski kaczmarek kaminski kamiński kalinowski kowalczyk kowalski kozlowski kozłowski krawczyk
        krol kubiak kucharski kwiatkowski lewandowski maciejewski majewski malinowski marciniak mazur mazurek
        michalak michalski nowak nowakowski nowicki olszewski ostrowski pawlak pawlowski pawłowski piotrowski
        rutkowski sikora sobczak szczepanski szewczyk szymanski szymański tomaszewski walczak wieczorek wisniewski
        wiśniewski witkowski wojciechowski wojcik wójcik wozniak woźniak wrobel wysocki zalewski zielinski zieliński
    """,
}
SURNAMES = frozenset(word for words in _BY_LANGUAGE.values() for word in words.split())
