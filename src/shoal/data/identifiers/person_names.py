"""Common names of persons in English, German, French, Spanish, Italian, Dutch, Portuguese and Polish."""

from __future__ import annotations


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


GIVEN_NAMES = _word_set(
    """
    james john robert michael david william richard joseph thomas charles christopher daniel matthew anthony donald
    steven steve paul andrew joshua kenneth kevin brian george timothy ronald edward jason jeffrey ryan jacob gary
    nicholas eric jonathan stephen larry justin scott brandon benjamin samuel gregory alexander patrick frank raymond
    jack dennis jerry tyler aaron jose adam nathan henry douglas zachary peter kyle noah ethan jeremy walter christian
    keith roger terry sean gerald carl harold dylan arthur lawrence jesse bryan billy bruce gabriel joe logan alan juan
    albert willie elijah wayne randy vincent mason roy ralph bobby russell bradley philip eugene liam oliver harry oscar
    leo alfie freddie archie theo isaac lucas luke ian neil stuart graham simon colin trevor derek nigel mary patricia
    jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty sandra margaret ashley kimberly emily
    donna michelle carol amanda melissa deborah stephanie rebecca sharon laura cynthia dorothy amy kathleen angela
    shirley emma brenda pamela nicole anna samantha katherine christine helen debra rachel carolyn janet maria catherine
    heather diane olivia julie joyce victoria ruth virginia lauren kelly christina joan evelyn judith andrea hannah
    megan cheryl jacqueline martha madison teresa gloria sara janice ann anne kathryn abigail sophia frances jean alice
    judy isabella julia grace amber denise danielle marilyn beverly charlotte natalie theresa diana brittany doris kayla
    alexis lori tiffany amelia isla ava mia lily chloe ella lucy zoe holly jane claire gemma fiona joanne tracey hans
    wolfgang klaus jürgen juergen dieter manfred uwe günter guenter horst bernd karl heinz helmut werner rainer gerhard
    josef andreas stefan matthias martin jörg joerg ralf sebastian tobias florian philipp jan tim felix lukas leon
    maximilian moritz jonas finn ben luca elias fabian dominik marcel sven torsten thorsten marco markus christoph
    holger heiko dirk volker detlef norbert rolf herbert kurt otto fritz friedrich wilhelm heinrich ludwig anton franz
    georg johannes johann hermann siegfried reinhard ulrich olaf jens ingo axel erik ursula monika petra elisabeth
    sabine renate helga karin brigitte ingrid erika gisela christa susanne gabriele claudia birgit heike stefanie
    katharina anja silke martina angelika kerstin lena marie sophie lea leonie emilia johanna luisa clara greta ida
    frieda mathilda lina melanie tanja nadine daniela katrin kathrin simone bettina ute ulrike regina jutta gudrun
    hildegard gertrud irmgard edith waltraud rosemarie annette cornelia anke marion silvia jana franziska eva vera heidi
    inge ilse elke pierre michel philippe alain nicolas christophe bernard laurent éric frédéric frederic stéphane
    stephane olivier thierry pascal françois francois gérard gerard julien sébastien sebastien jacques andré andre bruno
    didier rené rene claude guillaume antoine alexandre maxime hugo mathieu matthieu dominique serge jérôme jerome
    gilles yves louis raphaël raphael jules léo adrien baptiste clément clement quentin romain benoît benoit xavier
    fabrice hervé herve marc denis henri nathalie isabelle sylvie françoise francoise valérie valerie sandrine véronique
    veronique stéphanie céline celine aurélie aurelie émilie emilie monique annie martine chantal camille manon chloé
    léa inès ines jade louise zoé lucie élodie elodie hélène helene florence agnès agnes corinne mireille odile
    geneviève genevieve delphine virginie caroline audrey pauline mathilde margaux élise antonio josé manuel francisco
    javier jesús jesus carlos miguel alejandro rafael pedro ángel angel pablo sergio fernando jorge luis alberto álvaro
    alvaro diego adrián adrian raúl raul iván ivan rubén ruben enrique óscar ramón ramon vicente andrés andres joaquín
    joaquin santiago eduardo víctor victor mario roberto jaime ignacio marcos alfonso salvador emilio gonzalo tomás
    tomas nicolás mateo martín guillermo gustavo carmen josefa isabel dolores pilar rosa cristina ángeles antonia lucía
    lucia mercedes francisca elena concepción concepcion rocío rocio raquel manuela sofía sofia paula beatriz marta
    nuria irene montserrat inmaculada yolanda juana margarita encarnación alba sonia celia carla valentina ximena
    guadalupe giuseppe giovanni luigi angelo vincenzo pietro salvatore carlo franco domenico paolo michele giorgio aldo
    luciano francesco alessandro lorenzo mattia riccardo tommaso davide federico giuliano stefano matteo fabio massimo
    claudio maurizio gianluca enrico filippo giacomo nicola leonardo edoardo emanuele daniele raffaele giuseppina
    giovanna carmela caterina francesca antonietta concetta rita margherita franca paola giulia aurora ginevra giorgia
    beatrice chiara gaia federica alessandra elisa stefania simona ilaria roberta serena monica cornelis hendrik willem
    pieter gerrit jacobus kees henk wim piet joop bas daan sem lars thijs jeroen maarten sander bart niels bram stijn
    milan luuk koen joost arjan gijs tijn wilhelmina hendrika anneke marieke esther sanne lotte fleur lieke femke iris
    anouk roos noor saskia mieke joke truus wendy marloes joão joao paulo luiz antónio antônio rui tiago nuno ricardo
    gonçalo goncalo duarte rodrigo diogo vasco filipe joaquim mateus leandro fábio márcio marcio sérgio marcelo felipe
    vítor ana antónia adriana juliana márcia marcia fernanda patrícia aline camila bruna jéssica letícia leticia júlia
    luciana vanessa mariana gabriela inês catarina joana matilde leonor mafalda conceição fátima fatima helena cláudia
    susana piotr krzysztof andrzej tomasz paweł pawel michał michal marcin jakub łukasz lukasz grzegorz mateusz wojciech
    mariusz dariusz zbigniew maciej rafał rafal jerzy kamil jacek józef jozef szymon kacper antoni janusz tadeusz
    stanisław stanislaw ryszard kazimierz marek henryk dawid przemysław przemyslaw bartosz filip mikołaj wiktor artur
    sławomir slawomir mirosław miroslaw bogdan leszek roman zygmunt katarzyna małgorzata malgorzata agnieszka ewa
    krystyna elżbieta elzbieta magdalena joanna zofia aleksandra danuta natalia karolina beata dorota halina jadwiga
    janina alicja jolanta grażyna grazyna iwona paulina justyna bożena bozena urszula renata hanna sylwia patrycja
    weronika wanda kinga izabela edyta aneta wiesława irena genowefa oliwia zuzanna maja mohammed muhammad mohamed ahmed
    hassan hussein ibrahim omar yusuf mustafa mehmet emre murat ayşe ayse fatma aisha khadija zeynep elif leyla layla
    yasmin amina samira nadia olga svetlana tatiana dmitri sergei vladimir igor boris mikhail wei ling priya rahul
    sanjay deepak amit sunita ravi vijay
    """
)
"""Lower case, without names that are also common words."""
SURNAMES = _word_set(
    """
    adams allen anderson bailey bennett brooks campbell carter clarke collins davies davis edwards evans griffin
    griffiths harris harrison hughes jackson james jenkins johnson jones kelly lewis martin mitchell morgan morris
    murphy nelson parker patterson phillips powell reynolds richardson roberts robinson rogers russell sanders simmons
    simpson smith stewart sullivan thomas thompson thomson watson wilkinson williams williamson wilson albrecht becker
    bergmann brandt dietrich engel franke friedrich gunther hartmann heinrich herrmann hoffmann hofmann huber jager
    koehler kohler kraus krause kruger kuhn kuehn lehmann lorenz maier mayer meier meyer möller moller müller muller
    neumann otto peters pfeiffer pohl roth schafer schäfer schmid schmidt schmitt schmitz scholz schroder schröder
    schubert schulte schulz schulze schumacher schuster seidel simon vogt wagner walter werner winkler wolff ziegler
    zimmermann andre bernard bertrand bonnet boyer chevalier david dubois dufour dupont durand faure fontaine fournier
    francois garnier gauthier gerard girard guerin henry lambert laurent leclerc lefebvre lefevre leroy masson mathieu
    mercier michel moreau morel nicolas perrin renard richard riviere robert robin rousseau roussel roux vidal vincent
    alonso alvarez delgado diaz dominguez fernandez garcia gil gomez gonzalez gutierrez hernandez iglesias jimenez lopez
    lozano martinez molina muñoz munoz navarro nuñez ortega ortiz perez ramirez ramos rodriguez romero ruiz sanchez sanz
    suarez vazquez barbieri bianchi bianco caputo caruso cattaneo colombo conte conti costa costantini damico deluca
    esposito fabbri ferrara ferrari ferraro galli gentile giordano greco grassi lombardi longo mancini mariani marini
    marino martinelli martini mazza messina moretti morelli parisi pellegrini rinaldi ricci rizzo romano rossetti rossi
    russo santoro serra silvestri valentini vitale bakker brouwer dekker dijkstra driessen haan hendriks hoekstra
    huisman jacobs jansen janssen jong kramer kuipers leeuwen martens meijer mulder postma schouten scholten smit smits
    vermeulen verbeek visser vliet vries willems willemsen almeida alves andrade antunes araujo azevedo barbosa barros
    batista borges cardoso carvalho correia cunha dias domingues esteves faria fernandes ferreira fonseca freitas gomes
    goncalves gonçalves henriques lima lopes lourenco magalhaes marques martins melo mendes monteiro moreira nascimento
    nunes oliveira pereira pinheiro pires ribeiro rodrigues silva simoes soares sousa souza tavares teixeira vieira
    adamczyk baran borkowski cieslak czarnecki dabrowski dąbrowski duda dudek gorski górski grabowski jablonski
    jankowski jaworski kaczmarek kaminski kamiński kalinowski kowalczyk kowalski kozlowski kozłowski krawczyk krol
    kubiak kucharski kwiatkowski lewandowski maciejewski majewski malinowski marciniak mazur mazurek michalak michalski
    nowak nowakowski nowicki olszewski ostrowski pawlak pawlowski pawłowski piotrowski rutkowski sikora sobczak
    szczepanski szewczyk szymanski szymański tomaszewski walczak wieczorek wisniewski wiśniewski witkowski wojciechowski
    wojcik wójcik wozniak woźniak wrobel wysocki zalewski zielinski zieliński
    """
)
"""Without those that have other meanings."""
INSTITUTIONS = _word_set(
    """
    hospital clinic klinik klinikum krankenhaus hôpital clinique hospices ospedale ziekenhuis szpital st saint sankt san
    santa santo são sao ste sainte university universität université universidad università school schule college
    institute center centre zentrum city county street straße strasse road avenue rue calle via plaza platz ulica gmbh
    ag inc ltd llc company corp foundation church praxis apotheke pharmacy store shop hotel restaurant north south east
    west new disease syndrome morbus lake mount fort port gymnasium grundschule realschule gesamtschule lycée collège
    liceo instituto istituto escuela scuola école szkoła gimnazjum ward station abteilung
    """
)
"""Words that make a name part of the name of a place, an institution or a disease."""
