"""The OpenSearch index before a server that refuses, fails and answers in part."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log
from typing import Any

import pytest
from msgspec.structs import replace
from opensearchpy import OpenSearch

from cicada.adapters.aws_errors import Retry
from cicada.adapters.opensearch.documents import MAX_BYTES, MAX_ROWS, PAGE, BulkWriter
from cicada.adapters.opensearch.passage_index import OpenSearchPassageIndex
from cicada.adapters.opensearch.queries import MAX_BUCKETS
from cicada.adapters.opensearch.schema import IndexOptions, index_body
from cicada.adapters.passage_codec import card_to_json, row_to_json
from cicada.documents.catalogue import TITLE, Card, DocumentRow, Sort
from cicada.documents.model import AnyOf, DocumentKey, KnowledgeBaseKey, Passage, PassageFilter, SectionLocator
from cicada.errors import ConfigurationError, DependencyError, ThrottledError, UnavailableError
from cicada.retrieval.fusion import Bm25
from cicada.retrieval.model import CardQuery, EmbeddedPassage, IndexQuery
from tests.fakes.scripted_opensearch import Reply, ScriptedConnection, Server

PLAYS = KnowledgeBaseKey("tenant", "plays")
MACBETH = DocumentKey(PLAYS, "macbeth.json")
QUERY = IndexQuery(PassageFilter(PLAYS), "queen", [1.0, 0.0])
SECRET = "The queen, my lord, is dead."

ALIASES: Reply = (200, {"passages": {"aliases": {}}})
MAPPING: Reply = (200, {"passages": index_body("embedder", 2, "lucene", Bm25())})


def found(*hits: Mapping[str, Any], **extra: Any) -> dict[str, Any]:
    return {"hits": {"hits": list(hits)}, "_shards": {"failed": 0}, "status": 200, **extra}


def counted(number: int) -> Reply:
    return 200, {"count": number, "_shards": {"failed": 0}}


def both(lexical: dict[str, Any], semantic: dict[str, Any]) -> Reply:
    """What a search gets: vectors with the counts of words, and then the words' hits."""
    return 200, {"responses": [semantic, lexical]}


class Searched(Server):
    """Splits the replies of `both` over the two requests of a search. The second one is of the kind `candidates`."""

    lexical: dict[str, Any]
    counts: dict[str, Any] | None = None

    def reply(self, kind: str, body: Any) -> Reply | None:
        if kind == "_msearch" and "sort" in body[1]:
            self.requests.append(("candidates", body))
            return (
                self.replies["candidates"][0] if "candidates" in self.replies else (200, {"responses": [self.lexical]})
            )
        given = Server.reply(self, kind, body)
        if kind != "_msearch" or given is None or "responses" not in given[1]:
            return given
        semantic, self.lexical = given[1]["responses"]
        is_failure = "error" in self.lexical or self.lexical["_shards"]["failed"] or self.lexical.get("timed_out")
        counted = self.lexical if is_failure else found(aggregations=self.counts or ONE_OF_TWO)
        return 200, {"responses": [semantic, counted][-len(body) // 2 :]}


FIELD_NAMES = ("words 0", "title 0", "body 0", "head 0")


def holding(**words: int) -> dict[str, Any]:
    """The counts of the question's word in two readable passages: those given, and 0."""
    buckets = {name: {"doc_count": words.get(name.split()[0], 0)} for name in FIELD_NAMES}
    return {"words": {"buckets": {"*": {"doc_count": 2}, **buckets}}}


ONE_OF_TWO = holding(words=1, body=1)


# Ten hours after the epoch. What was made then is young, and the first generations, 4, 5 …, are long settled.
NOW = 36_000.0
YOUNG = 36_000_000_000


def generations(*given: tuple[int, int, int]) -> Reply:
    """Each generation's number, its visible rows, and how many it has."""
    buckets = [{"key": number, "doc_count": visible, "size": {"value": size}} for number, visible, size in given]
    document = {"key": MACBETH.document_id, "doc_count": 1, "generations": {"buckets": buckets}}
    documents = {"sum_other_doc_count": 0, "buckets": [document] if given else []}
    return 200, {**found(), "aggregations": {"documents": documents}}


def hit(number: int, generation: int, score: float = 1.5) -> dict[str, Any]:
    source = {
        "document_id": MACBETH.document_id,
        "passage_id": f"macbeth.json#{number}",
        "generation": generation,
        "version": f"v{generation}",
        "title": "Macbeth",
        "text": SECRET,
        "context": "",
        "locator": '{"path":[]}',
        "language": "en",
        "metadata": "{}",
        "readers": ["*"],
    }
    named = ["words 0"]
    return {
        "_index": "passages",
        "_id": f"{generation}-{number}",
        "_score": score,
        "_source": source,
        "matched_queries": named,
    }


def refused(status: int, kind: str = "refused") -> Reply:
    return status, {"error": {"type": kind, "reason": f"because of: {SECRET}"}, "status": status}


@dataclass(slots=True)
class Scene:
    server: Searched
    index: OpenSearchPassageIndex
    slept: list[float]


def scene(
    on_wait: Callable[[], None] | None = None, building: str | None = None, **replies: list[Reply | None]
) -> Scene:
    server = Searched(
        {
            "_mapping": [MAPPING],
            "_alias": [ALIASES],
            "_aliases": [(200, {})],
            **{f"_{name}": given for name, given in replies.items()},
        }
    )
    for unprefixed in ("create", "candidates"):
        if unprefixed in replies:
            server.replies[unprefixed] = replies[unprefixed]
    client = OpenSearch(hosts=["http://search"], connection_class=ScriptedConnection, server=server, max_retries=0)
    slept: list[float] = []
    retry = Retry(slept.append, lambda: 0.5, attempts=3)
    index = OpenSearchPassageIndex(
        client,
        IndexOptions("embedder", 2, given_name="passages", retry=retry, clock=lambda: NOW, visibility_seconds=1.0),
        building=building,
        on_wait=on_wait,
    )
    return Scene(server, index, slept)


def speeches(count: int) -> list[EmbeddedPassage]:
    return [
        EmbeddedPassage(
            Passage(f"macbeth.json#{n}", MACBETH, "v2", "Macbeth", SECRET, "", SectionLocator(())), [1.0, 0.0]
        )
        for n in range(count)
    ]


@pytest.mark.parametrize("status", [429, 503])
def test_a_refused_search_is_tried_again_after_a_while(status: int) -> None:
    at = scene(msearch=[refused(status), refused(status), both(found(hit(1, 1)), found())])
    assert len(at.index.search(QUERY).lexical) == 1
    assert at.slept == [0.25, 0.5]


@pytest.mark.parametrize(
    ("reply", "error"), [(refused(429), ThrottledError), (refused(502), UnavailableError), (None, UnavailableError)]
)
def test_a_search_that_is_never_answered_is_a_failure(reply: Reply | None, error: type[DependencyError]) -> None:
    with pytest.raises(error):
        scene(msearch=[reply]).index.search(QUERY)


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_refusal_for_good_is_not_tried_again(status: int) -> None:
    at = scene(msearch=[refused(status)])
    with pytest.raises(ConfigurationError):
        at.index.search(QUERY)
    assert len(at.server.bodies("_msearch")) == 1


@pytest.mark.parametrize(
    ("retriever", "error"),
    [
        (refused(429)[1], ThrottledError),
        (refused(503)[1], UnavailableError),
        (refused(400)[1], ConfigurationError),
        (found(timed_out=True), UnavailableError),
        (found(_shards={"failed": 1}), UnavailableError),
    ],
)
def test_a_failed_lane_is_a_failure_and_not_an_empty_lane(retriever: dict[str, Any], error: type[Exception]) -> None:
    for reply in (both(retriever, found(hit(1, 1))), both(found(hit(1, 1)), retriever)):
        with pytest.raises(error):
            scene(msearch=[reply]).index.search(QUERY)


def too_many_clauses(status: int, kind: str, reason: str) -> Reply:
    """The reply of OpenSearch 3.6 to too many clauses."""
    cause = {"type": kind, "reason": reason}
    error = {"root_cause": [cause], "type": "search_phase_execution_exception", "reason": "all shards failed"}
    return status, {"error": {**error, "failed_shards": [{"shard": 0, "reason": cause}]}, "status": status}


NESTED = "Query contains too many nested clauses; maxClauseCount is set to 1024"
CLAUSES = [
    too_many_clauses(500, "too_many_nested_clauses", NESTED),
    too_many_clauses(500, "too_many_clauses", ""),
    too_many_clauses(400, "query_shard_exception", "failed to create query: maxClauseCount is set to 1024"),
]


@pytest.mark.parametrize("reply", CLAUSES)
@pytest.mark.parametrize("is_whole", [False, True])
def test_more_words_than_the_server_takes_leave_the_vectors_alone_at_once(reply: Reply, is_whole: bool) -> None:
    told: list[str] = []
    candidates = reply if is_whole else (200, {"responses": [reply[1]]})
    at = scene(lambda: told.append("waiting"), msearch=[both(found(), found(hit(1, 1)))], candidates=[candidates])
    hits = at.index.search(QUERY)
    assert (hits.lexical, len(hits.semantic)) == ((), 1)
    assert (at.slept, told) == ([], [])
    assert (len(at.server.bodies("_msearch")), len(at.server.bodies("candidates"))) == (1, 1)


@pytest.mark.parametrize("reply", CLAUSES)
def test_cards_that_are_asked_by_words_alone_fail_where_the_words_are_refused(reply: Reply) -> None:
    at = scene(msearch=[both(found(), found())], candidates=[reply])
    with pytest.raises(ConfigurationError, match="clauses"):
        at.index.find_cards(CardQuery(PassageFilter(PLAYS), "queen"))
    assert len(at.server.bodies("candidates")) == 1


def test_words_of_a_question_are_not_taken_for_a_refusal_of_clauses() -> None:
    quoting: Reply = (400, {"error": {"type": "parse", "reason": "'too_many_clauses' maxclausecount is set to 1"}})
    at = scene(msearch=[quoting])
    with pytest.raises(ConfigurationError):
        at.index.search(QUERY)
    assert len(at.server.bodies("_msearch")) == 1


def test_vectors_and_words_ask_with_tenant_knowledge_base_and_viewers() -> None:
    at = scene(msearch=[both(found(), found())])
    at.index.search(QUERY)
    ((_, near, _, counts),), ((_, words),) = at.server.bodies("_msearch"), at.server.bodies("candidates")
    wanted = [{"term": {"tenant": "tenant"}}, {"term": {"knowledge_base": "plays"}}, {"terms": {"readers": ["*"]}}]
    assert near["query"]["knn"]["vector"]["filter"]["bool"]["filter"] == wanted
    assert counts["query"]["bool"]["filter"] == wanted
    assert words["query"]["bool"]["filter"] == wanted


def test_words_are_counted_in_all_that_the_asker_may_read_whatever_is_asked_for() -> None:
    at = scene(msearch=[both(found(), found())])
    reader = frozenset({"user:ann"})
    at.index.search(
        replace(QUERY, filter=PassageFilter(PLAYS, frozenset({"a"}), (AnyOf("act", frozenset("1")),), reader))
    )
    at.index.search(replace(QUERY, filter=PassageFilter(PLAYS, reader=reader)))
    first, second = at.server.bodies("_msearch")
    assert first[3] == second[3]
    assert first[1] != second[1]


def test_hits_come_by_the_bm25_of_their_texts() -> None:
    often, once = hit(1, 1), hit(2, 1)
    often["_source"]["text"] = "Queens! The queen's queen."
    hits = scene(msearch=[both(found(once, often), found())]).index.search(QUERY).lexical
    assert [each.passage.passage_id for each in hits] == ["macbeth.json#1", "macbeth.json#2"]
    assert hits[0].score == pytest.approx(log(2) * 3 / (3 + 1.2 * (0.4 + 0.6 * 5 / 6)))


def test_words_that_no_readable_passage_has_are_not_searched_for() -> None:
    at = scene(msearch=[both(found(), found())])
    at.server.counts = holding()
    assert at.index.search(QUERY).lexical == ()
    assert at.server.bodies("candidates") == []


def conditions(query: Any) -> list[list[Any]]:
    """What each filter of a query asks for."""
    if isinstance(query, list):
        return [found for each in query for found in conditions(each)]
    if not isinstance(query, dict):
        return []
    own = [query["bool"]["filter"]] if "bool" in query else []
    return [*own, *(found for each in query.values() for found in conditions(each))]


def test_every_question_to_the_server_names_tenant_and_knowledge_base() -> None:
    mixed = both(found(hit(1, 4), hit(1, 5)), found())
    nothing, kept = (200, found()), generations((4, 1, 1))
    written = (200, {"items": [{"index": {"_id": "1", "status": 201}}]})
    terms = (200, found(aggregations={"terms": {"buckets": {"0": {"doc_count": 1}}}}))
    after: list[Reply | None] = [
        kept,
        (200, found(hit(1, 4))),
        nothing,
        nothing,
        kept,
        generations((YOUNG, 1, 1)),
        nothing,
    ]
    answers = [kept, terms, *after]
    at = scene(msearch=[mixed, both(found(), found())], count=[counted(1)], search=answers, bulk=[written])
    at.index.search(QUERY)
    at.index.find_cards(CardQuery(QUERY.filter, QUERY.text, QUERY.vector))
    at.index.passages_with(PassageFilter(PLAYS), ["queen"])
    at.index.passages_of(MACBETH)
    at.index.vectors_of(PLAYS, ["macbeth.json#1"])
    at.index.count(PassageFilter(PLAYS))
    at.index.delete(MACBETH)
    at.index.replace(MACBETH, speeches(1))
    asked = [body for kind in ("_msearch", "candidates", "_search", "_count") for body in at.server.bodies(kind)]
    filters = [each for body in asked for each in conditions(body)]
    assert (len(at.server.bodies("_search")), len(filters)) == (len(answers), len(answers) + 7)
    for each in filters:
        assert {"term": {"tenant": "tenant"}} in each
        assert {"term": {"knowledge_base": "plays"}} in each


def test_a_document_that_is_replaced_while_it_is_read_is_read_again() -> None:
    gone, new = (200, found()), (200, found(hit(1, 5)))
    at = scene(search=[generations((4, 1, 1)), gone, generations((5, 1, 1)), new])
    assert [each.passage_id for each in at.index.passages_of(MACBETH)] == ["macbeth.json#1"]


def test_rows_of_the_index_that_has_taken_over_the_name_are_left_alone() -> None:
    elsewhere = {**hit(2, 4), "_index": "passages-1"}
    at = scene(search=[(200, found(hit(1, 4), elsewhere))], bulk=[(200, {"items": [{"delete": {"status": 200}}]})])
    at.index.delete(MACBETH)
    assert at.server.bodies("_bulk") == [[{"delete": {"_id": "4-1"}}]]


def test_hits_of_one_generation_cost_no_second_request() -> None:
    at = scene(msearch=[both(found(hit(1, 4)), found(hit(2, 4)))], search=[])
    at.index.search(QUERY)
    assert at.server.bodies("_search") == []


@pytest.mark.parametrize(
    ("visible", "answering"),
    [
        ([(4, 2, 2), (5, 2, 2)], "v4"),
        ([(4, 2, 2), (5, 1, 2)], "v4"),
        ([(4, 1, 2), (5, 2, 2)], "v5"),
        ([(4, 1, 2), (5, 1, 2)], "v5"),
    ],
)
def test_of_two_generations_the_oldest_whole_one_answers(visible: list[tuple[int, int, int]], answering: str) -> None:
    mixed = both(found(hit(1, 4), hit(2, 5)), found(hit(1, 5), hit(2, 4)))
    hits = scene(msearch=[mixed], search=[generations(*visible)]).index.search(QUERY)
    assert [hit.passage.version for hit in (*hits.lexical, *hits.semantic)] == [answering] * 2


@pytest.mark.parametrize(
    ("visible", "answering"),
    [
        ([(4, 2, 2), (YOUNG, 1, 2)], []),
        ([(4, 2, 2), (YOUNG, 2, 2)], []),
        ([(YOUNG, 2, 2)], [f"v{YOUNG}"]),
        ([(YOUNG, 1, 2)], [f"v{YOUNG}"]),
    ],
)
def test_a_young_generation_answers_if_no_older_one_does(
    visible: list[tuple[int, int, int]], answering: list[str]
) -> None:
    at = scene(msearch=[both(found(hit(1, YOUNG)), found())], search=[generations(*visible)])
    assert [hit.passage.version for hit in at.index.search(QUERY).lexical] == answering


def test_a_count_of_some_of_the_shards_is_a_failure() -> None:
    with pytest.raises(UnavailableError):
        scene(count=[(200, {"count": 3, "_shards": {"failed": 1}})]).index.count(PassageFilter(PLAYS))


def test_a_search_in_an_index_that_was_just_removed_is_made_again() -> None:
    gone = refused(404, "index_not_found_exception")
    at = scene(msearch=[gone, both(gone[1], found()), both(found(hit(1, 1)), found())])
    assert len(at.index.search(QUERY).lexical) == 1


def test_a_part_of_the_index_that_does_not_answer_is_asked_again() -> None:
    at = scene(msearch=[both(found(_shards={"failed": 1}), found()), both(found(hit(1, 1)), found())])
    assert len(at.index.search(QUERY).lexical) == 1


@pytest.mark.parametrize("first", [refused(503), refused(429), None])
def test_the_first_refusal_of_a_search_is_told_once(first: Reply | None) -> None:
    told: list[str] = []
    at = scene(lambda: told.append("waiting"), msearch=[first, first, both(found(hit(1, 1)), found())])
    at.index.search(QUERY)
    assert told == ["waiting"]
    at.index.search(QUERY)
    assert told == ["waiting"]


def test_a_collection_that_wakes_up_at_its_first_request_is_told_of() -> None:
    told: list[str] = []
    at = scene(
        lambda: told.append("waiting"), mapping=[refused(503), MAPPING], msearch=[both(found(hit(1, 1)), found())]
    )
    at.index.search(QUERY)
    assert told == ["waiting"]


def test_rows_are_written_by_the_names_of_indices_and_without_parameters() -> None:
    """A server would make an index of an alias's name for rows that come after a switch."""
    both_there: Reply = (200, {"passages": {"aliases": {}}, "passages-1": {"aliases": {"passages-building": {}}}})
    written = (200, {"items": [{"index": {"_id": "1", "status": 201}}]})
    deleted = (200, {"items": [{"delete": {"status": 200}}]})
    seen = [generations((4, 1, 1)), generations((4, 1, 1), (YOUNG, 1, 1))]
    old = [(200, found(hit(1, 4))), (200, found({**hit(1, 4), "_index": "passages-1"}))]
    at = scene(alias=[both_there], search=[*seen, old[0], *seen, old[1]], bulk=[written, deleted])
    at.index.replace(MACBETH, speeches(1))
    assert at.server.asked("_bulk") == [
        ("/passages/_bulk", {}),
        ("/passages/_bulk", {}),
        ("/passages-1/_bulk", {}),
        ("/passages-1/_bulk", {}),
    ]


def test_a_write_whose_index_was_switched_is_made_to_the_new_one() -> None:
    building: Reply = (200, {"passages": {"aliases": {}}, "passages-1": {"aliases": {"passages-building": {}}}})
    switched: Reply = (200, {"passages-1": {"aliases": {"passages": {}}}})
    written = (200, {"items": [{"index": {"_id": "1", "status": 201}}]})
    gone = (200, {"items": [{"index": {"status": 404, "error": {"type": "index_not_found_exception"}}}]})
    seen = [generations(), generations((YOUNG, 1, 1)), (200, found())]
    aliases: list[Reply | None] = [building, building, switched]
    at = scene(alias=aliases, search=[*seen, generations(), *seen], bulk=[written, gone, written])
    at.index.replace(MACBETH, speeches(1))
    assert len(at.server.bodies("_bulk")) == 3


@pytest.mark.parametrize(
    ("index", "after", "dropped"),
    [
        ("passages-0000000000000001", {}, ["/passages-0000000000000001"]),
        ("passages-0000000000000001", {"passages-0000000000000001": {"aliases": {"passages": {}}}}, []),
        ("somebodys", {}, []),
    ],
)
def test_an_index_that_a_late_write_made_again_is_dropped(
    index: str, after: dict[str, Any], dropped: list[str]
) -> None:
    """Unless it has become the live one, or is not ours."""
    live: dict[str, Any] = {"passages-0000000000000000": {"aliases": {"passages": {}}}}
    before: Reply = (200, {**live, index: {"aliases": {"passages-building": {}}}})
    later: Reply = (200, {**live, **after})
    written = (200, {"items": [{"index": {"_id": "1", "status": 201}}]})
    seen = [generations(), generations((YOUNG, 1, 1)), (200, found())]
    at = scene(alias=[before, before, later], search=[*seen, generations(), *seen], bulk=[written], create=[(200, {})])
    at.index.replace(MACBETH, speeches(1))
    assert [path for path, _ in at.server.asked("create")] == dropped


def test_a_write_for_which_there_is_no_index_yet_is_a_failure() -> None:
    with pytest.raises(UnavailableError, match="not there yet"):
        scene(alias=[(200, {"other": {"aliases": {}}})]).index.replace(MACBETH, speeches(1))


def test_a_row_stored_twice_is_found_once() -> None:
    hits = scene(msearch=[both(found(hit(1, 4), hit(1, 4)), found())]).index.search(QUERY)
    assert [hit.passage.passage_id for hit in hits.lexical] == ["macbeth.json#1"]


def test_only_the_refused_rows_are_sent_again() -> None:
    item = {"index": {"status": 201}}
    no = {"index": {"status": 429, "error": {"type": "rejected_execution_exception"}}}
    bulk: list[Reply | None] = [
        (200, {"items": [item, no, no]}),
        (200, {"items": [item, no]}),
        (200, {"items": [item]}),
    ]
    at = scene(search=[generations(), generations((YOUNG, 3, 3)), (200, found())], bulk=bulk)
    at.index.replace(MACBETH, speeches(3))
    sent = [[line["passage_id"][-1] for line in lines if "passage_id" in line] for lines in at.server.bodies("_bulk")]
    assert sent == [["0", "1", "2"], ["1", "2"], ["2"]]


class Storing(Server):
    """Stores every row that it is sent."""

    def reply(self, kind: str, body: Any) -> Reply:
        self.requests.append((kind, body))
        return 200, {"items": [{"index": {"status": 201}} for line in body if "index" in line]}


def size_bytes(lines: list[Any]) -> int:
    return sum(len(f"{json.dumps(line, ensure_ascii=False, separators=(',', ':'))}\n".encode()) for line in lines)


ROW_BYTES = size_bytes([{"index": {}}, {"number": 0, "text": ""}])


def sent_in_bulk(*sizes: int) -> list[list[int]]:
    """The numbers of rows that went out together, given how many bytes each of them takes in a request."""
    server = Storing({})
    client = OpenSearch(hosts=["http://search"], connection_class=ScriptedConnection, server=server, max_retries=0)
    rows = ({"number": number, "text": "é" * ((size - ROW_BYTES) // 2)} for number, size in enumerate(sizes))
    BulkWriter(client, Retry(attempts=1)).add("passages", rows)
    return [[line["number"] for line in lines if "number" in line] for lines in server.bodies("_bulk")]


def test_a_bulk_request_is_no_larger_than_every_server_takes() -> None:
    half = MAX_BYTES // 2
    assert sent_in_bulk(half, half, half, half + 2, half, half) == [[0, 1], [2], [3], [4, 5]]
    assert MAX_BYTES < 10_000_000  # What Serverless takes.


def test_a_row_that_is_too_large_by_itself_is_sent_alone() -> None:
    assert sent_in_bulk(100, MAX_BYTES + 100, 100) == [[0], [1], [2]]


def test_a_bulk_request_has_no_more_rows_than_it_may_have() -> None:
    assert list(map(len, sent_in_bulk(*[100] * (2 * MAX_ROWS + 1)))) == [MAX_ROWS, MAX_ROWS, 1]


def test_a_row_refused_for_good_is_named_by_its_kind_and_not_by_its_text() -> None:
    no = {"index": {"status": 400, "error": {"type": "mapper_parsing_exception", "reason": SECRET}}}
    at = scene(search=[generations()], bulk=[(200, {"items": [no]})])
    with pytest.raises(ConfigurationError, match="mapper_parsing_exception") as raised:
        at.index.replace(MACBETH, speeches(1))
    assert SECRET not in str(raised.value)


def test_older_rows_are_removed_only_when_the_new_ones_are_seen() -> None:
    visible = [generations((4, 2, 2)), generations((4, 2, 2)), generations((4, 2, 2), (YOUNG, 1, 1))]
    item = {"index": {"status": 201}}
    gone = [{"delete": {"status": 200}}, {"delete": {"status": 404}}]
    at = scene(
        search=[*visible, (200, found(hit(1, 4), hit(2, 4)))], bulk=[(200, {"items": [item]}), (200, {"items": gone})]
    )
    at.index.replace(MACBETH, speeches(1))
    assert [kind for kind, _ in at.server.requests if kind in ("_search", "_bulk")] == [
        "_search",
        "_bulk",
        "_search",
        "_search",
        "_search",
        "_bulk",
    ]
    assert at.server.bodies("_search")[-1]["query"]["bool"]["filter"][-1] == {
        "range": {"generation": {"lt": f"{YOUNG:020d}"}}
    }
    assert at.server.bodies("_bulk")[-1] == [{"delete": {"_id": "4-1"}}, {"delete": {"_id": "4-2"}}]


def test_a_row_stored_twice_where_a_page_ends_is_removed_both_times() -> None:
    """The next page begins after the last one's order, which both of them have."""
    rows = [{**hit(n, 4), "_id": f"{n}", "sort": [n, "4"]} for n in range(PAGE - 1)]
    once, twice = ({**hit(PAGE, 4), "_id": name, "sort": [PAGE, "4"]} for name in ("once", "twice"))
    deleted = (200, {"items": [{"delete": {"status": 200}}] * MAX_ROWS})
    rest = (200, {"items": [{"delete": {"status": 200}}] * (PAGE + 1 - 2 * MAX_ROWS)})
    at = scene(search=[(200, found(*rows, once)), (200, found(once, twice))], bulk=[deleted, deleted, rest])
    at.index.delete(MACBETH)
    removed = [line["delete"]["_id"] for lines in at.server.bodies("_bulk") for line in lines]
    assert (removed[-2:], len(removed)) == (["once", "twice"], PAGE + 1)
    assert at.server.bodies("_search")[-1]["search_after"] == [PAGE - 2, "4"]


def test_a_page_of_one_row_stored_many_times_is_not_asked_for_again() -> None:
    rows = [{**hit(1, 4), "_id": f"{n}", "sort": [1, "4"]} for n in range(PAGE)]
    deleted = (200, {"items": [{"delete": {"status": 200}}] * MAX_ROWS})
    at = scene(search=[(200, found(*rows)), (200, found())], bulk=[deleted])
    at.index.delete(MACBETH)
    assert len(at.server.bodies("_search")) == 2


def test_of_two_ingests_that_meet_the_later_one_stays() -> None:
    answers: list[Reply | None] = [generations(), generations((YOUNG, 1, 1), (YOUNG + 1_000_000, 1, 1)), (200, found())]
    at = scene(search=answers, bulk=[(200, {"items": [{"index": {"status": 201}}]})])
    at.index.replace(MACBETH, speeches(1))
    assert at.server.bodies("_search")[-1]["query"]["bool"]["filter"][-1] == {
        "range": {"generation": {"lt": f"{YOUNG + 1_000_000:020d}"}}
    }


def test_a_version_that_is_never_seen_is_a_failure_and_removes_nothing() -> None:
    at = scene(search=[generations((4, 2, 2))], bulk=[(200, {"items": [{"index": {"status": 201}}]})])
    with pytest.raises(UnavailableError, match="ingest it again"):
        at.index.replace(MACBETH, speeches(1))
    assert len(at.server.bodies("_bulk")) == 1


@pytest.mark.parametrize("missing", [refused(404), refused(403)])
def test_an_index_that_is_not_there_is_made(missing: Reply) -> None:
    at = scene(mapping=[missing, MAPPING], create=[(200, {})], count=[counted(0)])
    assert at.index.count(PassageFilter(PLAYS)) == 0
    assert at.server.bodies("create") == [index_body("embedder", 2, "lucene", Bm25())]


def test_an_unfinished_index_that_is_gone_is_not_made_by_who_reads_it() -> None:
    at = scene(building="passages-1", mapping=[refused(404)], create=[(200, {})], msearch=[both(found(), found())])
    with pytest.raises(UnavailableError, match="begin again"):
        at.index.search(QUERY)
    assert at.server.bodies("create") == []


def test_a_server_that_lets_nobody_choose_the_similarity_gets_an_index_without_it() -> None:
    at = scene(
        mapping=[refused(404), MAPPING], create=[refused(400, "illegal_argument"), (200, {})], count=[counted(0)]
    )
    at.index.count(PassageFilter(PLAYS))
    first, second = at.server.bodies("create")
    assert first["settings"]["index"]["similarity"]["default"] == {"type": "BM25", "k1": 1.2, "b": 0.6}
    assert second == {**first, "settings": {"index": {"knn": True}}}


def test_an_index_of_another_embedder_of_the_same_dimension_is_refused_with_both_names() -> None:
    other = (200, {"passages": index_body("another", 2, "lucene", Bm25())})
    with pytest.raises(ConfigurationError, match=r"vectors of another .* embedder is embedder"):
        scene(mapping=[other], msearch=[both(found(), found())]).index.search(QUERY)


def test_an_index_that_keeps_no_viewers_is_refused() -> None:
    body = index_body("embedder", 2, "", Bm25())
    del body["mappings"]["properties"]["readers"]
    with pytest.raises(ConfigurationError, match="earlier version"):
        scene(mapping=[(200, {"i": body})]).index.search(QUERY)


def test_an_index_that_another_process_has_just_made_is_used() -> None:
    made = refused(400, "resource_already_exists_exception")
    at = scene(mapping=[refused(404), MAPPING], create=[made], count=[counted(3)])
    assert at.index.count(PassageFilter(PLAYS)) == 3


def test_a_role_that_may_neither_see_nor_make_the_index_is_told_so() -> None:
    with pytest.raises(ConfigurationError, match="access policy"):
        scene(mapping=[refused(403)], create=[refused(403)]).index.count(PassageFilter(PLAYS))


def test_an_index_without_the_name_of_its_embedder_is_known_by_its_dimension() -> None:
    body = index_body("embedder", 2, "", Bm25())
    del body["mappings"]["_meta"]
    count: list[Reply | None] = [counted(3)]
    assert scene(mapping=[(200, {"i": body})], count=count).index.count(PassageFilter(PLAYS)) == 3
    body["mappings"]["properties"]["vector"]["dimension"] = 3
    with pytest.raises(ConfigurationError, match="3 dimensions"):
        scene(mapping=[(200, {"i": body})], count=count).index.count(PassageFilter(PLAYS))


def row_hit(generation: int, name: str = MACBETH.document_id) -> dict[str, Any]:
    row = DocumentRow(DocumentKey(PLAYS, name), "Macbeth", f"v{generation}", 1, 0.0)
    return {"_source": {"document_id": name, "generation": generation, "row": row_to_json(row)}}


def test_a_listing_during_a_replacement_is_read_again() -> None:
    old, new = YOUNG + 1, YOUNG + 2
    now = generations((new, 1, 1))
    at = scene(search=[(200, found(row_hit(old))), now, (200, found(row_hit(new))), now])
    page = at.index.rows(PassageFilter(PLAYS), Sort(TITLE), limit=10)
    assert [row.version for row in page.rows] == [f"v{new}"]


@pytest.mark.parametrize(("generation", "expected"), [(4, Card("A crown")), (5, None)])
def test_a_listed_row_has_its_own_card_and_not_that_of_a_newer_version(generation: int, expected: Card | None) -> None:
    again = row_hit(generation)
    again["_source"]["card"] = card_to_json(Card("A crown"))
    at = scene(search=[(200, found(row_hit(4))), (200, found(again))])
    [row] = at.index.rows(PassageFilter(PLAYS), Sort(TITLE), limit=10).rows
    assert (row.version, row.card) == ("v4", expected)


def test_the_generations_of_many_documents_are_counted_in_several_requests() -> None:
    names = [f"d{number:04d}" for number in range(MAX_BUCKETS + 1)]
    hits = [row_hit(YOUNG + 1, name) for name in names]

    def counted_once(part: list[str]) -> Reply:
        buckets = [{"key": YOUNG + 1, "doc_count": 1, "size": {"value": 1}}]
        documents = [{"key": name, "doc_count": 1, "generations": {"buckets": buckets}} for name in part]
        aggregation = {"sum_other_doc_count": 0, "buckets": documents}
        return 200, {**found(), "aggregations": {"documents": aggregation}}

    pages = [(200, found(*({**hit, "sort": [hit["_source"]["document_id"], "1"]} for hit in hits[:PAGE])))]
    rest = (200, found(*hits[PAGE - 1 :]))
    at = scene(search=[*pages, rest, counted_once(names[:MAX_BUCKETS]), counted_once(names[MAX_BUCKETS:])])
    page = at.index.rows(PassageFilter(PLAYS), Sort(TITLE), limit=2)
    assert page.total == len(names)
    asked = [body for body in at.server.bodies("_search") if "aggs" in body]
    assert [len(body["query"]["bool"]["filter"][-1]["terms"]["document_id"]) for body in asked] == [MAX_BUCKETS, 1]
