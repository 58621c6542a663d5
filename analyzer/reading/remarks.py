"""Tells what people wrote about an incident (mails, chats, notes) from what programs logged.

A remark quotes words of logs and may be wrong, so it is no evidence. Lines of programs that are pasted between remarks
stay what they are.
"""

from __future__ import annotations

import re

from analyzer.formats import read_line

MAX_PROBED_BYTES = 16 << 10
MIN_REMARK_SHARE = 0.3  # of the lines of a file of remarks: programs may be quoted in between
MIN_WORDS = 4
MIN_COMMON_WORDS = 2
MIN_MEASURES = 2  # `fwd=12ms wait=3ms`: nobody speaks so
MIN_EAST_ASIAN_CHARS = 4
# Words that sentences of people consist of; the languages of the usual collectors.
_COMMON_WORDS = frozenset(
    """
    a about after again all already also an and any are as at because before but can could did didn do does doesn don
    first for from had has have here how if in is isn it just last like looks maybe more no nobody not now of on once
    only or probably really same should since so some somebody still than thanks that the then there these they think
    this those to today tomorrow was wasn we were what when where which while who why will with would yes yesterday you
    your us me my our i we ich je
    aber alle als am auf aus bei bitte da dann das dass dem den der die doch ein eine einen er erst es gestern hat heute
    ich im ist ja jetzt kein mal mit nach nicht noch nur oder schon sich sie sind und vielleicht vom von vor war warum
    was wer wieder wir wird wo zu zum zwei
    au aussi avec ce cette dans de depuis des deux du elle en encore est et hier il je la le les mais merci ne nous on
    ou par pas peut plus pour quand que qui sans sont sur un une vous
    al como con cuando desde donde el era es este esto gracias hay hoy los muy nada nos para pero por porque que se
    sin solo son todo un una ya
    anche ancora che con da dopo ha ieri io non per poi quando solo sono
    ale bo byl był była było co czy dla do i jak jest już juz ktoś ma może moze na nie nic od po potem się sie są tak
    tam to tu w we wczoraj więc z za znowu že žádný je jsem jsme když ještě jen na nebo po pro se si už včera však
    ainda até com da das depois do dos e ela ele em foi isso já mais mas na não nao no nos o os ontem ou pela pelo
    quem são sem ser só também tem uma
    de een en er het hij ik is maar met niet nog of ook op van voor wat we wel zijn
    af att av blev där det efter en ett för från han hon inte jag med men när och ou på så som till var vi
    ei eli en että ja jo jos kun kuin mutta myös niin nyt oli on se siitä tai vain vielä
    ama bir bu çok da daha dün için ile ki mi ne sonra ve ya yok
    а без был была было в вот вчера для до же за и из или как когда мы на не но он она от по после с так там то у
    уже что это я
    """.split()  # noqa: SIM905
)
_match_bullet = re.compile(r"\s{0,8}[*•·–]{1,3}\s+").match
_FIRST_PERSON = re.compile(
    r"(?<![\w/\[(.=-])(?:I|[Ww]e|[Mm]y|[Oo]ur|[Ii]ch|[Ww]ir|[Jj]e|[Nn]ous|[Nn]osotros|[Nn]oi)(?![\w/\]).:=-])"
    r"|[我私僕俺咱]|우리|제가|저는|저희"
)
_split_words = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?").findall
# What a chat or a mail puts before a person's words.
_CHAT = re.compile(
    r"\s{0,4}(?:\[?\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?\]?\s{1,4}<?@?[^\W\d_][\w. -]{0,30}[:>]\s"
    r"|\*[^\W\d_][\w. -]{0,30}:\*\s|\d{1,2}[./-]\d{1,2}[./-]\d{4} \d{1,2}:\d\d (?:[^\W\d_][\w.-]{0,20} ?){1,3}: "
    r"|<?@?[^\W\d_][^\W\d_ .-]{0,30}(?: [^\W\d_]\w{0,20})?>?(?: \([\w .-]{1,30}\))?"
    r"\s{1,4}\[?\d{1,2}:\d\d(?: ?[AP]M)?\]?(?:\s|$)"
    r"|(?:From|To|Cc|Subject|Von|An|Betreff|De|À|Objet): )"
)
# Marks of programs: a path, an assignment, a name of code, an error's class, a row of a table.
_PROGRAM = re.compile(r"/\w|\w=\w|::|\w\(|0x[0-9a-f]{4}|[{}|\\]|\w\.\w{1,60}\.\w|^\s{2}|^\$ ")
_find_measures = re.compile(r"\w=\d").findall
_RAISED = re.compile(r"\s{0,20}(?:> )?[\w.]{0,200}(?:Error|Exception|Warning|Interrupt|Exit)\b:?")
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")


# Names of files with what people write, and of folders with exported chats.
_CHATS = r"slack|teams|mattermost|discord|telegram|whatsapp|zulip|rocketchat|chats?|irc"
_named_for_people = re.compile(
    rf"(?:^|[/_. -])(?:{_CHATS})(?=$|[/_. -]|\d)"
    rf"|(?:^|[/_. -])(?:mails?|mbox|eml|msg|tickets?|issues?|jira|redmine|glpi|otrs|servicenow|readme|lisezmoi|liesmich"
    r"|leeme|leiame|notes?|notas?|notiz|notizen|notatki|memo|wiki|post-?mortem|diary|logbuch|handover|comments?"
    r"|ask|questions?|fragen?|vraag|vragen|preguntas?|domand[ae]|pitanj[ea]|pytani[ae]|dotaz|cwestiwn|kysymys|kirje|kiri"
    r"|brev|carta|lettre|skilabod|hoi|письм[оа]|вопрос\w{0,2}|заметк[аи]|메모|질문|카톡|メモ|メール|質問|备注|说明|备忘|問題|问题)"
    r"(?=$|[_. -]|\d)[^/]*$",
    re.I,
).search
_EXTRA_FIELDS = re.compile(r'(?: [\w.@-]{1,60}=(?:"[^"]{0,300}"|[^\s"]{1,300})){1,20}\s*$')  # of a record
RECORD_FORMATS = ("cri",)  # which the records of an export get: a time, and no program that wrote the text


def holds_remarks(head: bytes, path: str = "") -> bool:
    """Return whether people wrote much of the text that begins with `head`, of the file at `path`."""
    lines = [line for line in head[:MAX_PROBED_BYTES].decode("utf-8", "replace").splitlines() if line.strip()]
    remarks = [line for line in lines if is_remark(line)]
    if len(remarks) < max(1.0, MIN_REMARK_SHARE * len(lines)):
        return False
    is_named = _named_for_people(path) is not None
    return is_named or any(_CHAT.match(line) or _speaks_of_writer(line) for line in remarks)


def is_listed_remark(line: str) -> bool:
    """Return whether a line is a sentence of a person in a list, which a ticket or a wiki has among pasted logs."""
    bullet = _match_bullet(line)
    return bullet is not None and is_remark(line[bullet.end() :])


def is_remark(line: str) -> bool:
    """Return whether a line reads like a sentence of a person, and has no prefix that a program writes."""
    chat = _CHAT.match(line)
    text = line[chat.end() :] if chat else line
    if chat and not text.strip():
        return True  # the head of a message: what it says stands below
    if chat is None and (prefixed := read_line(line)).formats:
        if prefixed.formats != RECORD_FORMATS and prefixed.kind is not None:
            return False
        text = _EXTRA_FIELDS.sub("", prefixed.message) if prefixed.formats == RECORD_FORMATS else line
    if _RAISED.match(text) or len(_find_measures(text)) >= MIN_MEASURES:
        return False
    if _PROGRAM.search(text) and not (chat or _speaks_of_writer(text)):
        return False
    if len(_EAST_ASIAN.findall(text)) >= MIN_EAST_ASIAN_CHARS:
        return True
    words = _words(text)
    common = sum(word in _COMMON_WORDS for word in words)
    return len(words) >= MIN_WORDS and (common >= MIN_COMMON_WORDS or chat is not None)


def _speaks_of_writer(text: str) -> bool:
    return _FIRST_PERSON.search(text) is not None


def _words(text: str) -> list[str]:
    return [word.partition("'")[0].partition("’")[0] for word in _split_words(text[:2000].lower())]
