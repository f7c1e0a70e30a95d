"""Words that say nothing about a topic: Italian and English grammar, conversation and requests to go on.

A word belongs here when it would match a large share of all messages without telling what they are about. Words
with content stay out even when they are common (cache, test, error, file, state, decided), and so do Italian words
that an English topic spells alike (state, date, and of those below ``pure`` and ``serve``). Words of two letters are no
topics unless known as technologies, so ``ai``, ``ci`` and ``io`` need no entry.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator

__all__ = ["STOPWORDS", "fold_word", "is_italian", "is_italian_too", "is_stopword"]

_ENGLISH_GRAMMAR = """
a an the this that these those such i me my mine myself you your yours yourself yourselves he him his himself she her
hers herself it its itself we us our ours ourselves they them their theirs themselves one ones who whom whose which
what when where why how that there here then than so thus hence therefore however moreover furthermore nevertheless
nonetheless otherwise instead meanwhile anyway besides and or but nor yet if unless whether while whereas although
though because since until till as at by for from in into of off on onto out over to up upon with within without about
above across after against along among amongst around before behind below beneath beside between beyond despite down
during except inside like near outside past per through throughout toward towards under underneath via
not no none neither either both each every all any some many much more most few fewer less least several enough other
others another same own else only just even also too very quite rather really almost again already still ever never
always often sometimes usually rarely once twice now later earlier soon ago today yesterday tomorrow tonight lately
recently currently previously next last first previous following latest
am is are was were be been being have has had having do does did done doing can could may might must shall should
will would ought cannot
something anything everything nothing someone anyone everyone nobody somebody anybody everybody somewhere anywhere
everywhere nowhere somehow whatever whenever wherever whoever whichever however
actually basically simply exactly precisely probably possibly maybe perhaps certainly definitely obviously clearly
apparently literally totally completely entirely fully mostly mainly partly slightly nearly roughly especially
particularly specifically generally normally finally eventually immediately quickly terribly extremely pretty
together apart away whole entire entirely regarding concerning back ahead forward two three 1st 2nd 3rd etc eg ie vs
"""

# What stays of "don't" and "we'll" when words end at the apostrophe, and how both are typed without one.
_ENGLISH_CONTRACTIONS = """
don didn doesn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn mustn needn mightn shan ain ve ll re
dont didnt doesnt isnt arent wasnt werent hasnt havent hadnt wont wouldnt couldnt shouldnt mustnt cant thats whats
wheres whos hows theres heres lets youre theyre weve youve theyve ive youll theyll itll gonna wanna gotta dunno tis twas
"""

_ENGLISH_CONVERSATION = """
hi hey hello bye goodbye morning evening please kindly guys folks pls plz thanks thank thx ty cheers sorry pardon excuse yes yeah
yep yup nope nah ok okay okey okays kk sure fine good great nice perfect excellent awesome amazing cool wonderful
alright right correct wrong agreed indeed exactly understood roger oh ah uh um hm hmm wow oops btw fyi asap imo imho lol
well better best bad worse worst possible impossible able unable ready
"""

_ENGLISH_WORKFLOW = """
continue continues continued continuing proceed proceeds proceeding go goes going gone went start starts started
starting begin begins began begun finish finishes finished finishing complete completes completed completing end ends
ended ending keep keeps kept keeping carry try tries tried trying use uses used using make makes made making
get gets got getting gotten let letting put puts putting take takes took taken taking give gives gave given giving
come comes came coming bring brings brought work works worked working run runs ran running add adds added adding fix
fixes fixed fixing set sets check checks checked checking look looks looked looking see sees saw seen seeing show shows
showed shown showing find finds found finding tell tells told telling say says said saying ask asks asked asking
explain explains explained explaining describe describes described mention mentions mentioned mentioning talk talks
talked talking speak spoke discuss discussed discussing remember remembers remembered remind reminds reminded
forget forgot forgotten know knows knew known knowing think thinks thought thinking believe guess suppose assume
understand understands mean means meant want wants wanted wanting need needs needed needing wish hope like likes liked
agree agrees approved confirmed solve solves solved solving summarize summarise remaining prefer help helps helped helping happen happens happened happening seem seems seemed become becomes became settle
settled settling wait
thing things stuff way ways kind kinds lot lots bit bits problem problems question questions new old different
"""

_ITALIAN_GRAMMAR = """
il lo la i gli le l un uno una di a da in con su per tra fra del dello della dei degli delle dell al allo alla agli
alle all dal dallo dalla dai dagli dalle dall nel nello nella nei negli nelle nell sul sullo sulla sui sugli sulle sull
col coi e ed o od ma se che chi cui non ne vi si mi ti lo tu egli ella lui lei noi voi loro esso essa essi esse
me te mio mia miei mie tuo tua tuoi tue suo sua suoi sue nostro nostra nostri nostre vostro vostra vostri vostre
questo questa questi queste quest quello quella quelli quelle quel quei quegli quell cio costui colui coloro
come quando dove dov perche cosa cos quale quali qual quanto quanta quanti quante quant
anche neanche nemmeno neppure anzi invece inoltre infatti quindi dunque percio pertanto allora cioe ossia oppure ovvero
eppure tuttavia pero mentre finche affinche sebbene benche nonostante poiche siccome qualora purche
senza senz contro verso presso dentro fuori sopra sotto davanti dietro accanto vicino lontano attraverso durante tranne
eccetto oltre entro circa secondo
solo sola soli soltanto solamente almeno quasi molto molta molti molte poco poca pochi poche po tanto tanta tanti tante troppo
troppa troppi troppe piu meno assai abbastanza tutto tutta tutti tutte tutt ogni ognuno ciascuno ciascuna qualche
qualcosa qualcuno qualunque qualsiasi nessuno nessuna nessun niente nulla altro altra altri altre altrimenti stesso
stessa stessi stesse tale tali certo certa certi certe vari varie diverso diversa diversi diverse alcuno alcuna alcuni
alcune ambedue entrambi entrambe insieme
oggi ieri domani adesso ora dopo prima poi ancora gia sempre mai ormai appena subito presto tardi intanto finora infine
spesso talvolta qualvolta volta volte qui qua li la lassu laggiu quaggiu ultimo ultima ultimi ultime primo primi prime
prossimo prossima prossimi prossime precedente precedenti seguente seguenti scorso scorsa scorsi scorse
nuovo nuova nuovi nuove nuovamente due tre ecc eccetera
cosi proprio davvero veramente esattamente praticamente semplicemente completamente totalmente probabilmente
sicuramente certamente ovviamente chiaramente finalmente attualmente precedentemente prevalentemente appunto comunque gliel com riguardo proposito basta
"""

_ITALIAN_VERBS = """
sono sei siamo siete ero eri era eravamo eravate erano fui fu furono saro sarai sara saremo sarete saranno sarei saresti
sarebbe saremmo sarebbero sia siano fosse fossi fossero fossimo essere essendo stato stata stati c
ho hai ha abbiamo avete hanno avevo avevi aveva avevamo avevate avevano avro avrai avra avremo avranno avrei avresti
avrebbe avremmo avrebbero abbia abbiano avesse avessi avessero avere avendo avuto avuta
posso puoi puo possiamo potete possono potevo potevi poteva potevamo potevano potro potrai potra potremo potranno
potrei potresti potrebbe potremmo potrebbero possa possano potesse potessi potere potuto
devo devi deve dobbiamo dovete devono debbo debba dovevo dovevi doveva dovevamo dovevano dovro dovrai dovra dovremo
dovranno dovrei dovresti dovrebbe dovremmo dovrebbero dovere dovuto dovuta
voglio vuoi vuole vogliamo volete vogliono volevo volevi voleva volevamo volevano vorrei vorresti vorrebbe vorremmo
voglia volere voluto
so sai sa sappiamo sapete sanno sapevo sapere saputo faccio fai fa facciamo fate fanno facevo faceva facevamo facevano
faro farai fara faremo faranno farei faresti farebbe faccia facciano fare far facendo fatto fatta fatti fatte farlo
farla farli farle fammi facci fallo falla
vado vai va andiamo andate vanno andava andavano andare andando andato andata andati andremo andra vengo vieni viene
veniamo vengono veniva venire venuto venuta sto stai sta stiamo stanno stavo stavi stava stavamo stavano stare stando
dire dico dici dice diciamo dicono diceva dicevo dicevi dicevamo dicevano detto detta dimmi dirmi digli dammi darmi dare dato
mettere metti mette mettiamo messo vedere vedi vedo vede vediamo vedono visto guarda guardare guardiamo guardato
provare prova provo proviamo provato riprova riprovare usare usa usi usiamo usate usano usato usata usati usando usava
usavamo usavano servono serviva servivano sembra sembrano sembrava pare credo credi credere penso pensi pensa pensare
pensato pensavo capisco capisci capire capito ricordo ricordi ricorda ricordare ricordami ricordati ricordarmi parlare
parlato parliamo parlavamo parlando parlami trovare trova trovato troviamo funziona funzionano funzionare funzionava
intendo intendi intendevi significa vuol tieni tenere lascia lasciare lasciamo bisogna occorre succede successo
"""

_ITALIAN_CONVERSATION = """
ciao salve buongiorno buonasera buonanotte grazie prego scusa scusami scusate scusi favore cortesia piacere perfavore
ok okay si no forse magari bene ben male meglio peggio vabbe vabene perfetto perfetta ottimo ottima benissimo giusto
giusta esatto esatta corretto d accordo sicuro sicura bravo ehi beh boh mah ecco eccolo eccola eccoli eccoci pronto
continua continuare continuiamo continuando continui prosegui proseguire proseguiamo procedi procedere procediamo
proceda avanti finisci finire finiamo finito finita finiti completa completare completiamo completato completata
termina terminare terminato terminiamo inizia iniziare iniziamo iniziato comincia cominciare cominciamo riprendi
riprendere riprendiamo aiuto aiuta aiutami aiutare spiega spiegami spiegare spiegato mostra mostrami mostrare
controlla controllare controlliamo verifica verificare verifichiamo aggiungi aggiungere aggiungiamo aggiunto aggiunta
correggi correggere correggiamo esegui eseguire eseguiamo sistemare chiedere chiesto chiedo chiede chiedono chiedevo
approvo approvato approvata confermo confermato confermata sbagliato sbagliata sbagliati sbagliate buono buona
aspetta aspettare aspettiamo attimo indietro torna tornare torniamo passiamo fermarti fermati
ricomincia ricominciare ricominciamo risolvi risolvere risolviamo risolvilo risolto risolta
correggilo correggila correggili sistemalo sistemala sistemali sistemarlo sistemarli sistemiamo
riassumi riassumere riassumimi riassumiamo uso resto resta restano restante restanti rimane rimangono rimanente
rimanenti rimasto rimasta rimasti rimaste cose roba modo modi maniera problema problemi domanda domande possibile impossibile
"""

_ENGLISH = frozenset[str]().union(
    _ENGLISH_GRAMMAR.split(),
    _ENGLISH_CONTRACTIONS.split(),
    _ENGLISH_CONVERSATION.split(),
    _ENGLISH_WORKFLOW.split(),
)
_ITALIAN = frozenset[str]().union(
    _ITALIAN_GRAMMAR.split(), _ITALIAN_VERBS.split(), _ITALIAN_CONVERSATION.split()
)
_ITALIAN_ONLY = _ITALIAN - _ENGLISH

# Among other Italian words these are pronouns, prepositions and small talk.
_ITALIAN_TOO = frozenset("ai ci io pure serve".split())

STOPWORDS: frozenset[str] = _ENGLISH | _ITALIAN


def is_stopword(word: str) -> bool:
    """Tell whether a word says nothing about a topic, whatever its case, accents or compatibility form."""
    return fold_word(word) in STOPWORDS


def is_italian(words: Iterable[str]) -> bool:
    """Tell whether among words there is an Italian stopword of two letters or more that English has not."""
    return any(len(word) > 1 and fold_word(word) in _ITALIAN_ONLY for word in words)


def is_italian_too(word: str) -> bool:
    """Tell whether a word that may be a topic says nothing among Italian words; in capitals it may be one there, too."""
    return not word.isupper() and fold_word(word) in _ITALIAN_TOO


def fold_word(word: str) -> str:
    """Fold a word for looking it up: NFKC, then NFD, marks removed, casefolded. Never for showing it."""
    if word.isascii():
        return word.lower()
    return "".join(_base_characters(word)).casefold()


def _base_characters(word: str) -> Iterator[str]:
    decomposed = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", word))
    return (character for character in decomposed if not unicodedata.combining(character))
