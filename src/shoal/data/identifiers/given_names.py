"""Common given names in English, German, French, Spanish, Italian, Dutch, Portuguese and Polish."""

from __future__ import annotations


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


GIVEN_NAMES = _word_set(
    """
    james john robert michael david william richard joseph thomas charles christopher daniel matthew anthony mark
    donald steven steve paul andrew joshua kenneth kevin brian george timothy ronald edward jason jeffrey ryan jacob
    gary nicholas eric jonathan stephen larry justin scott brandon benjamin samuel gregory alexander patrick frank
    raymond jack dennis jerry tyler aaron jose adam nathan henry douglas zachary peter kyle noah ethan jeremy walter
    christian keith roger terry sean austin gerald carl harold dylan arthur lawrence jordan jesse bryan billy bruce
    gabriel joe logan alan juan albert willie elijah wayne randy vincent mason roy ralph bobby russell bradley
    philip eugene liam oliver harry oscar leo alfie freddie archie theo isaac lucas luke ian neil stuart graham
    simon colin trevor derek nigel mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa
    nancy betty sandra margaret ashley kimberly emily donna michelle carol amanda melissa deborah stephanie rebecca
    sharon laura cynthia dorothy amy kathleen angela shirley emma brenda pamela nicole anna samantha katherine
    christine helen debra rachel carolyn janet maria catherine heather diane olivia julie joyce victoria ruth
    virginia lauren kelly christina joan evelyn judith andrea hannah megan cheryl jacqueline martha madison teresa
    gloria sara janice ann anne kathryn abigail sophia frances jean alice judy isabella julia grace amber denise
    danielle marilyn beverly charlotte natalie theresa diana brittany doris kayla alexis lori tiffany amelia isla
    ava mia lily chloe ella lucy zoe holly jane claire gemma fiona joanne tracey hans peter wolfgang klaus jürgen
    juergen dieter manfred uwe günter guenter horst bernd karl heinz helmut werner rainer gerhard josef frank
    andreas stefan matthias martin jörg joerg ralf sebastian tobias florian philipp jan tim felix lukas leon
    maximilian moritz paul jonas finn ben luca elias fabian dominik marcel sven torsten thorsten oliver marco markus
    christoph holger heiko dirk volker detlef norbert rolf herbert kurt otto fritz friedrich wilhelm heinrich ludwig
    anton franz georg johannes johann hermann siegfried reinhard ulrich olaf jens ingo axel erik ursula monika petra
    elisabeth sabine renate helga karin brigitte ingrid erika gisela christa susanne gabriele claudia birgit heike
    stefanie katharina anja silke martina angelika nicole kerstin anna lena marie sophie hannah lea leonie mia
    emilia johanna luisa clara greta ida frieda mathilda charlotte lina sandra melanie tanja nadine daniela katrin
    kathrin simone bettina ute ulrike barbara regina jutta gudrun hildegard gertrud irmgard edith waltraud rosemarie
    annette cornelia anke doris marion silvia jana julia franziska theresa eva vera heidi inge ilse elke jean pierre
    michel philippe alain patrick nicolas christophe daniel bernard laurent éric eric frédéric frederic stéphane
    stephane olivier thierry pascal françois francois gérard gerard julien sébastien sebastien david jacques andré
    andre bruno didier rené rene marcel claude guillaume antoine alexandre maxime thomas hugo mathieu matthieu
    vincent dominique serge jérôme jerome gilles yves louis lucas gabriel raphaël raphael arthur jules léo adrien
    baptiste clément clement quentin romain benoît benoit xavier fabrice hervé herve marc denis henri roger robert
    nathalie isabelle sylvie catherine françoise francoise valérie valerie christine sandrine véronique veronique
    nicole stéphanie céline celine aurélie aurelie émilie emilie brigitte sophie monique jacqueline annie martine
    chantal camille manon chloé léa inès ines jade louise zoé lucie élodie elodie hélène helene florence agnès agnes
    corinne mireille odile geneviève genevieve simone delphine virginie caroline julie audrey pauline mathilde
    margaux élise antonio josé manuel francisco juan javier jesús jesus carlos miguel alejandro rafael pedro ángel
    angel pablo sergio fernando jorge luis alberto álvaro alvaro diego adrián adrian raúl raul iván ivan rubén ruben
    enrique óscar ramón ramon vicente andrés andres joaquín joaquin santiago eduardo víctor victor mario roberto
    jaime ignacio marcos alfonso salvador emilio gonzalo tomás tomas nicolás hugo mateo martín guillermo gustavo
    carmen josefa isabel dolores pilar teresa rosa cristina ángeles antonia lucía lucia mercedes francisca elena
    concepción concepcion rocío rocio raquel manuela sofía sofia paula patricia beatriz marta nuria silvia irene
    montserrat inmaculada yolanda juana margarita encarnación victoria alba sonia celia daniela carla valentina
    ximena guadalupe giuseppe giovanni antonio mario luigi angelo vincenzo pietro salvatore carlo franco domenico
    bruno paolo michele giorgio aldo sergio luciano francesco alessandro lorenzo mattia andrea gabriele riccardo
    tommaso davide federico giuliano marco stefano matteo luca simone fabio massimo roberto claudio maurizio
    gianluca enrico alberto filippo giacomo nicola leonardo edoardo emanuele daniele raffaele giuseppina rosa angela
    giovanna teresa lucia carmela caterina francesca antonietta carla elena concetta rita margherita franca paola
    giulia aurora alice ginevra emma giorgia greta beatrice chiara sara martina gaia federica alessandra valentina
    silvia elisa laura stefania simona ilaria roberta serena monica cristina daniela barbara jan johannes cornelis
    hendrik willem pieter gerrit jacobus jacob dirk peter kees henk wim piet joop bas daan sem lars thijs jeroen
    maarten sander rob bart niels ruben bram stijn jesse milan luuk koen joost erik frank arjan gijs tijn johanna
    cornelia wilhelmina hendrika elisabeth anneke marieke ingrid monique esther sanne lotte fleur eva sophie lieke
    femke iris anouk roos noor saskia mieke joke ria truus els ans linda wendy marloes joão joao josé carlos paulo
    pedro luiz luis marcos francisco antónio antônio rui tiago nuno miguel ricardo jorge fernando bruno hugo andré
    gonçalo goncalo duarte rodrigo rafael diogo vasco filipe joaquim gabriel lucas mateus gustavo leandro fábio
    fabio márcio marcio sérgio eduardo marcelo felipe vítor maria ana francisca antónia adriana juliana márcia
    marcia fernanda patrícia aline sandra camila amanda bruna jéssica letícia leticia júlia luciana vanessa mariana
    gabriela vera rosa inês catarina sofia rita joana matilde leonor beatriz mafalda conceição fátima fatima teresa
    helena isabel cláudia raquel susana piotr krzysztof andrzej tomasz paweł pawel michał michal marcin jakub adam
    łukasz lukasz grzegorz mateusz wojciech mariusz dariusz zbigniew maciej rafał rafal robert jerzy kamil jacek
    józef jozef szymon kacper antoni jan janusz tadeusz stanisław stanislaw ryszard kazimierz marek henryk dawid
    przemysław przemyslaw bartosz sebastian filip mikołaj wiktor artur sławomir slawomir mirosław miroslaw bogdan
    leszek roman zygmunt anna katarzyna maria małgorzata malgorzata agnieszka barbara ewa krystyna elżbieta elzbieta
    magdalena joanna zofia aleksandra monika teresa danuta natalia julia karolina marta beata dorota halina jadwiga
    janina alicja jolanta grażyna grazyna iwona paulina justyna bożena bozena urszula renata hanna sylwia patrycja
    helena weronika wanda kinga izabela edyta aneta wiesława stefania irena genowefa oliwia zuzanna lena maja amelia
    mohammed muhammad mohamed ahmed ali hassan hussein ibrahim omar yusuf mustafa mehmet emre murat can ayşe ayse
    fatma aisha fatima khadija zeynep elif leyla layla yasmin amina samira nadia olga svetlana natalia tatiana
    dmitri sergei vladimir igor boris mikhail wei ling priya rahul sanjay deepak amit sunita ravi vijay
    """
) - _word_set("can ali austin jordan may mark can rob els ans ria")
"""Lower case, without names that are also common words."""

INSTITUTIONS = _word_set(
    """
    hospital clinic klinik klinikum krankenhaus hôpital clinique hospices ospedale ziekenhuis szpital st saint sankt
    san santa santo são sao ste sainte university universität université universidad università school schule
    college institute center centre zentrum city county street straße strasse road avenue rue calle via plaza platz
    ulica gmbh ag inc ltd llc company corp foundation church praxis apotheke pharmacy store shop hotel restaurant
    north south east west new disease syndrome morbus lake mount fort port gymnasium grundschule realschule gesamtschule
    lycée collège liceo instituto istituto escuela scuola école szkoła gimnazjum ward station abteilung
    """
)
"""Words that make a given name part of the name of a place, an institution or a disease."""
