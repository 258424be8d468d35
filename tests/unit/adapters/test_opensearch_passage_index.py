"""The OpenSearch index before a server that refuses, fails and answers in part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
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
from cicada.adapters.opensearch.schema import IndexOptions
from cicada.adapters.passage_codec import card_to_json, row_to_json
from cicada.documents.catalogue import TITLE, Card, DocumentRow, Sort
from cicada.documents.model import AnyOf, DocumentKey, KnowledgeBaseKey, PassageFilter
from cicada.errors import ConfigurationError, DependencyError, ThrottledError, UnavailableError
from cicada.retrieval.model import CardQuery, EmbeddedPassage, IndexQuery
from tests.fakes.passages import passage
from tests.fakes.scripted_opensearch import Reply, ScriptedConnection, Server

PLAYS = KnowledgeBaseKey("tenant", "plays")
MACBETH = DocumentKey(PLAYS, "macbeth.json")
QUERY = IndexQuery(PassageFilter(PLAYS), "queen", [1.0, 0.0])
SECRET = "The queen, my lord, is dead."
FORMS = IndexOptions("embedder", 2, "").bodies()
MAPPING: Reply = (200, {"passages": FORMS[1]})
# Ten hours after the epoch. What was made then is young, and the first generations, 4, 5 …, are long settled.
NOW, YOUNG = 36_000.0, 36_000_000_000


def found(*hits: Mapping[str, Any], **extra: Any) -> dict[str, Any]:
    return {"hits": {"hits": list(hits)}, "_shards": {"failed": 0}, "status": 200, **extra}


def both(lexical: dict[str, Any], semantic: dict[str, Any]) -> Reply:
    """What a search gets: vectors with the counts of words, and then the words' hits."""
    return 200, {"responses": [semantic, lexical]}


FINDS = both(found(), found())


class Searched(Server):
    """Splits the replies of `both` over the two requests of a search. The second one is of the kind `candidates`.

    The question's word is in the text of one of the two readable passages.
    """

    lexical: dict[str, Any]

    def reply(self, kind: str, body: Any) -> Reply | None:
        if kind == "_msearch" and "sort" in body[1]:
            self.requests.append(("candidates", body))
            found_by_words: Reply = (200, {"responses": [self.lexical]})
            return self.replies.get("candidates", [found_by_words])[0]
        given = Server.reply(self, kind, body)
        if kind != "_msearch" or given is None or "responses" not in given[1]:
            return given
        semantic, self.lexical = given[1]["responses"]
        is_failure = "error" in self.lexical or self.lexical["_shards"]["failed"] or self.lexical.get("timed_out")
        holding = {"*": 2, "words 0": 1, "title 0": 0, "body 0": 1, "head 0": 0}
        buckets = {name: {"doc_count": number} for name, number in holding.items()}
        counts = self.lexical if is_failure else found(aggregations={"words": {"buckets": buckets}})
        return 200, {"responses": [semantic, counts][-len(body) // 2 :]}


def generations(*given: tuple[int, int, int], names: tuple[str, ...] = (MACBETH.document_id,)) -> Reply:
    """Each generation's number, its visible rows, and how many it has."""
    buckets = [{"key": number, "doc_count": visible, "size": {"value": size}} for number, visible, size in given]
    documents = [{"key": name, "doc_count": 1, "generations": {"buckets": buckets}} for name in names if given]
    return 200, found(aggregations={"documents": {"sum_other_doc_count": 0, "buckets": documents}})


def hit(number: int, generation: int) -> dict[str, Any]:
    source = {"document_id": MACBETH.document_id, "passage_id": f"macbeth.json#{number}", "generation": generation}
    source |= {"version": f"v{generation}", "title": "Macbeth", "text": SECRET, "context": "", "locator": '{"path":[]}'}
    source |= {"language": "en", "metadata": "{}", "readers": ["*"]}
    row = {"_index": "passages", "_id": f"{generation}-{number}", "_score": 1.5, "_source": source}
    return row | {"matched_queries": ["words 0"]}


def refused(status: int, kind: str = "refused") -> Reply:
    return status, {"error": {"type": kind, "reason": f"because of: {SECRET}"}, "status": status}


def bulk(*statuses: int, operation: str = "index", kind: str = "rejected_execution_exception") -> Reply:
    """The reply to a bulk request, row by row; a status from 400 on is an error of this kind."""
    rows = [
        {"status": each} | ({"error": {"type": kind, "reason": SECRET}} if each >= 400 else {}) for each in statuses
    ]
    return 200, {"items": [{operation: row} for row in rows]}


WRITTEN = bulk(201)


def aliases(**names: str) -> Reply:
    return 200, {index.replace("_", "-"): {"aliases": {name: {}} if name else {}} for index, name in names.items()}


def connected(server: Server) -> OpenSearch:
    return OpenSearch(hosts=["http://search"], connection_class=ScriptedConnection, server=server, max_retries=0)


@dataclass(slots=True)
class Scene:
    server: Searched
    index: OpenSearchPassageIndex
    slept: list[float]


def scene(
    on_wait: Callable[[], None] | None = None, building: str | None = None, **replies: Sequence[Reply | None]
) -> Scene:
    """An index on a server with these replies, by the last part of the path."""
    usual: dict[str, Sequence[Reply | None]] = {"mapping": [MAPPING], "alias": [aliases(passages="")]}
    usual |= {"aliases": [(200, {})], **replies}
    server = Searched(
        {name if name in ("create", "candidates") else f"_{name}": list(each) for name, each in usual.items()}
    )
    slept: list[float] = []
    retry = Retry(slept.append, lambda: 0.5, attempts=3)
    options = IndexOptions(
        "embedder", 2, "", given_name="passages", retry=retry, clock=lambda: NOW, visibility_seconds=1.0
    )
    index = OpenSearchPassageIndex(connected(server), options, building=building, on_wait=on_wait)
    return Scene(server, index, slept)


def speeches(count: int) -> list[EmbeddedPassage]:
    return [EmbeddedPassage(passage(MACBETH, number, SECRET, version="v2"), [1.0, 0.0]) for number in range(count)]


GONE = refused(404, "index_not_found_exception")


@pytest.mark.parametrize(
    "disturbed",
    [
        [refused(429), refused(429)],
        [refused(503), refused(503)],
        [GONE, both(GONE[1], found())],
        [both(found(_shards={"failed": 1}), found())],
    ],
    ids=["throttled", "busy", "index removed", "part of the index"],
)
def test_a_disturbed_search_is_made_again(disturbed: list[Reply | None]) -> None:
    at = scene(msearch=[*disturbed, both(found(hit(1, 1)), found())])
    assert len(at.index.search(QUERY).lexical) == 1
    assert at.slept == [0.25, 0.5][: len(disturbed)]


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
    at = scene(msearch=[FINDS], candidates=[reply])
    with pytest.raises(ConfigurationError, match="clauses"):
        at.index.find_cards(CardQuery(PassageFilter(PLAYS), "queen"))
    assert len(at.server.bodies("candidates")) == 1


def test_words_of_a_question_are_not_taken_for_a_refusal_of_clauses() -> None:
    quoting: Reply = (400, {"error": {"type": "parse", "reason": "'too_many_clauses' maxclausecount is set to 1"}})
    at = scene(msearch=[quoting])
    with pytest.raises(ConfigurationError):
        at.index.search(QUERY)
    assert len(at.server.bodies("_msearch")) == 1


def test_words_are_counted_in_all_that_the_asker_may_read_whatever_is_asked_for() -> None:
    at, reader = scene(msearch=[FINDS]), frozenset({"user:ann"})
    chosen = PassageFilter(PLAYS, frozenset({"a"}), (AnyOf("act", frozenset("1")),), reader)
    for filter in (chosen, PassageFilter(PLAYS, reader=reader)):
        at.index.search(replace(QUERY, filter=filter))
    (_, near, _, counts), (_, others, _, same_counts) = at.server.bodies("_msearch")
    assert counts == same_counts
    assert near != others


def test_hits_come_by_the_bm25_of_their_texts() -> None:
    often, once = hit(1, 1), hit(2, 1)
    often["_source"]["text"] = "Queens! The queen's queen."
    hits = scene(msearch=[both(found(once, often), found())]).index.search(QUERY).lexical
    assert [each.passage.passage_id for each in hits] == ["macbeth.json#1", "macbeth.json#2"]
    assert hits[0].score == pytest.approx(log(2) * 3 / (3 + 1.2 * (0.4 + 0.6 * 5 / 6)))


def conditions(query: Any) -> list[list[Any]]:
    """What each filter of a query asks for."""
    if isinstance(query, list):
        return [found for each in query for found in conditions(each)]
    if not isinstance(query, dict):
        return []
    own = [query["bool"]["filter"]] if "bool" in query else []
    return [*own, *(found for each in query.values() for found in conditions(each))]


def test_every_question_to_the_server_names_tenant_and_knowledge_base() -> None:
    nothing, kept, row = (200, found()), generations((4, 1, 1)), (200, found(hit(1, 4)))
    terms = (200, found(aggregations={"terms": {"buckets": {"0": {"doc_count": 1}}}}))
    seen = [kept, terms, kept, row, nothing, nothing, kept, generations((YOUNG, 1, 1)), nothing]
    counted = (200, {"count": 1, "_shards": {"failed": 0}})
    at = scene(
        msearch=[both(found(hit(1, 4), hit(1, 5)), found()), FINDS], count=[counted], search=seen, bulk=[WRITTEN]
    )
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
    assert (len(at.server.bodies("_search")), len(filters)) == (len(seen), len(seen) + 7)
    for each in filters:
        assert {"term": {"tenant": "tenant"}} in each
        assert {"term": {"knowledge_base": "plays"}} in each


def test_a_document_that_is_replaced_while_it_is_read_is_read_again() -> None:
    gone, new = (200, found()), (200, found(hit(1, 5)))
    at = scene(search=[generations((4, 1, 1)), gone, generations((5, 1, 1)), new])
    assert [each.passage_id for each in at.index.passages_of(MACBETH)] == ["macbeth.json#1"]


def test_a_part_of_a_document_that_is_replaced_while_it_is_read_is_read_again() -> None:
    part, whole = (200, found(hit(1, 4))), (200, found(hit(1, 5), hit(2, 5)))
    at = scene(search=[generations((4, 3, 3)), part, generations((5, 3, 3)), whole])
    assert len(at.index.passages_of(MACBETH, range(1, 9))) == 2


def test_rows_of_the_index_that_has_taken_over_the_name_are_left_alone() -> None:
    elsewhere = {**hit(2, 4), "_index": "passages-1"}
    at = scene(search=[(200, found(hit(1, 4), elsewhere))], bulk=[bulk(200, operation="delete")])
    at.index.delete(MACBETH)
    assert at.server.bodies("_bulk") == [[{"delete": {"_id": "4-1"}}]]


@pytest.mark.parametrize(
    ("searched", "visible", "answering"),
    [
        ((4, 5), [(4, 2, 2), (5, 2, 2)], [4]),
        ((4, 5), [(4, 2, 2), (5, 1, 2)], [4]),
        ((4, 5), [(4, 1, 2), (5, 2, 2)], [5]),
        ((4, 5), [(4, 1, 2), (5, 1, 2)], [5]),
        ((YOUNG,), [(4, 2, 2), (YOUNG, 1, 2)], []),
        ((YOUNG,), [(4, 2, 2), (YOUNG, 2, 2)], []),
        ((YOUNG,), [(YOUNG, 2, 2)], [YOUNG]),
        ((YOUNG,), [(YOUNG, 1, 2)], [YOUNG]),
    ],
)
def test_of_several_generations_the_oldest_whole_one_answers(
    searched: tuple[int, ...], visible: list[tuple[int, int, int]], answering: list[int]
) -> None:
    hits = [hit(number, generation) for number, generation in enumerate(searched)]
    at = scene(msearch=[both(found(*hits), found(*hits[::-1]))], search=[generations(*visible)])
    ranked = at.index.search(QUERY)
    for retriever in (ranked.lexical, ranked.semantic):
        assert [each.passage.version for each in retriever] == [f"v{each}" for each in answering]


def test_a_count_of_some_of_the_shards_is_a_failure() -> None:
    with pytest.raises(UnavailableError):
        scene(count=[(200, {"count": 3, "_shards": {"failed": 1}})]).index.count(PassageFilter(PLAYS))


@pytest.mark.parametrize("first", [refused(503), refused(429), None])
@pytest.mark.parametrize("kind", ["msearch", "mapping"])
def test_the_first_refusal_of_a_search_is_told_once(kind: str, first: Reply | None) -> None:
    told: list[str] = []
    usual: dict[str, list[Reply | None]] = {"mapping": [MAPPING], "msearch": [FINDS]}
    at = scene(lambda: told.append("waiting"), None, **{**usual, kind: [first, first, *usual[kind]]})
    for _ in range(2):
        at.index.search(QUERY)
        assert told == ["waiting"]


def test_a_write_whose_index_was_switched_is_made_to_the_new_one() -> None:
    building, switched = aliases(passages="", passages_1="passages-building"), aliases(passages_1="passages")
    seen = [generations(), generations((YOUNG, 1, 1)), (200, found())]
    gone = bulk(404, kind="index_not_found_exception")
    at = scene(
        alias=[building, building, switched], search=[*seen, generations(), *seen], bulk=[WRITTEN, gone, WRITTEN]
    )
    at.index.replace(MACBETH, speeches(1))
    assert len(at.server.bodies("_bulk")) == 3


@pytest.mark.parametrize(
    ("index", "after", "dropped"),
    [
        ("passages-0000000000000001", {}, ["/passages-0000000000000001"]),
        ("passages-0000000000000001", {"passages_0000000000000001": "passages"}, []),
        ("somebodys", {}, []),
    ],
)
def test_an_index_that_a_late_write_made_again_is_dropped(
    index: str, after: dict[str, str], dropped: list[str]
) -> None:
    """Unless it has become the live one, or is not ours."""
    before, later = (
        aliases(passages_0000000000000000="passages", **also)
        for also in ({index.replace("-", "_"): "passages-building"}, after)
    )
    seen = [generations(), generations((YOUNG, 1, 1)), (200, found())]
    at = scene(alias=[before, before, later], search=[*seen, generations(), *seen], bulk=[WRITTEN], create=[(200, {})])
    at.index.replace(MACBETH, speeches(1))
    assert [path for path, _ in at.server.asked("create")] == dropped


def test_a_write_for_which_there_is_no_index_yet_is_a_failure() -> None:
    with pytest.raises(UnavailableError, match="not there yet"):
        scene(alias=[aliases(other="")]).index.replace(MACBETH, speeches(1))


def test_a_row_stored_twice_is_found_once() -> None:
    hits = scene(msearch=[both(found(hit(1, 4), hit(1, 4)), found())]).index.search(QUERY)
    assert [hit.passage.passage_id for hit in hits.lexical] == ["macbeth.json#1"]


def test_only_the_refused_rows_are_sent_again() -> None:
    seen = [generations(), generations((YOUNG, 3, 3)), (200, found())]
    at = scene(search=seen, bulk=[bulk(201, 429, 429), bulk(201, 429), bulk(201)])
    at.index.replace(MACBETH, speeches(3))
    sent = [[line["passage_id"][-1] for line in lines if "passage_id" in line] for lines in at.server.bodies("_bulk")]
    assert sent == [["0", "1", "2"], ["1", "2"], ["2"]]


ROW_BYTES = len('{"index":{}}\n{"number":0,"text":""}\n')


@pytest.mark.parametrize(
    ("sizes", "sent"),
    [
        ([MAX_BYTES // 2] * 3 + [MAX_BYTES // 2 + 2] + [MAX_BYTES // 2] * 2, [2, 1, 1, 2]),
        ([100, MAX_BYTES + 100, 100], [1, 1, 1]),
        ([100] * (2 * MAX_ROWS + 1), [MAX_ROWS, MAX_ROWS, 1]),
    ],
    ids=["at the limit", "one row too large", "too many rows"],
)
def test_a_bulk_request_is_no_larger_than_every_server_takes(sizes: list[int], sent: list[int]) -> None:
    assert MAX_BYTES < 10_000_000  # What Serverless takes.
    server = Server({"_bulk": [bulk(*[201] * size) for size in sent]})
    rows = ({"number": 0, "text": "é" * ((size - ROW_BYTES) // 2)} for size in sizes)
    BulkWriter(connected(server), Retry(attempts=1)).add("passages", rows)
    assert [len(lines) // 2 for lines in server.bodies("_bulk")] == sent


def test_a_row_refused_for_good_is_named_by_its_kind_and_not_by_its_text() -> None:
    at = scene(search=[generations()], bulk=[bulk(400, kind="mapper_parsing_exception")])
    with pytest.raises(ConfigurationError, match="mapper_parsing_exception") as raised:
        at.index.replace(MACBETH, speeches(1))
    assert SECRET not in str(raised.value)


def test_older_rows_are_removed_only_when_the_new_ones_are_seen() -> None:
    unseen, old = generations((4, 2, 2)), (200, found(hit(1, 4), hit(2, 4)))
    seen = [unseen, unseen, generations((4, 2, 2), (YOUNG, 1, 1)), old]
    at = scene(search=seen, bulk=[WRITTEN, bulk(200, 404, operation="delete")])
    at.index.replace(MACBETH, speeches(1))
    steps = [kind for kind, _ in at.server.requests if kind in ("_search", "_bulk")]
    assert steps == ["_search", "_bulk", "_search", "_search", "_search", "_bulk"]
    assert at.server.bodies("_bulk")[-1] == [{"delete": {"_id": "4-1"}}, {"delete": {"_id": "4-2"}}]


def test_a_row_stored_twice_where_a_page_ends_is_removed_both_times() -> None:
    """The next page begins after the last one's order, which both of them have."""
    rows = [{**hit(number, 4), "_id": f"{number}", "sort": [number, "4"]} for number in range(PAGE - 1)]
    once, twice = ({**hit(PAGE, 4), "_id": name, "sort": [PAGE, "4"]} for name in ("once", "twice"))
    sizes = [MAX_ROWS, MAX_ROWS, PAGE + 1 - 2 * MAX_ROWS]
    deleted: list[Reply | None] = [bulk(*[200] * size, operation="delete") for size in sizes]
    at = scene(search=[(200, found(*rows, once)), (200, found(once, twice))], bulk=deleted)
    at.index.delete(MACBETH)
    removed = [line["delete"]["_id"] for lines in at.server.bodies("_bulk") for line in lines]
    assert (removed[-2:], len(removed)) == (["once", "twice"], PAGE + 1)


def test_a_page_of_one_row_stored_many_times_is_not_asked_for_again() -> None:
    rows = [{**hit(1, 4), "_id": f"{number}", "sort": [1, "4"]} for number in range(PAGE)]
    at = scene(search=[(200, found(*rows)), (200, found())], bulk=[bulk(*[200] * MAX_ROWS, operation="delete")])
    at.index.delete(MACBETH)
    assert len(at.server.bodies("_search")) == 2


def test_of_two_ingests_that_meet_the_later_one_stays() -> None:
    later = YOUNG + 1_000_000
    at = scene(search=[generations(), generations((YOUNG, 1, 1), (later, 1, 1)), (200, found())], bulk=[WRITTEN])
    at.index.replace(MACBETH, speeches(1))
    removed = at.server.bodies("_search")[-1]["query"]["bool"]["filter"][-1]
    assert removed == {"range": {"generation": {"lt": f"{later:020d}"}}}


def test_a_version_that_is_never_seen_is_a_failure_and_removes_nothing() -> None:
    at = scene(search=[generations((4, 2, 2))], bulk=[WRITTEN])
    with pytest.raises(UnavailableError, match="ingest it again"):
        at.index.replace(MACBETH, speeches(1))
    assert len(at.server.bodies("_bulk")) == 1


@pytest.mark.parametrize(
    ("missing", "reply"),
    [
        (refused(404), (200, {})),
        (refused(403), (200, {})),
        (refused(404), refused(400, "resource_already_exists_exception")),
    ],
    ids=["missing", "hidden", "made by another process"],
)
def test_an_index_that_is_not_there_is_made(missing: Reply, reply: Reply) -> None:
    at = scene(mapping=[missing, MAPPING], create=[reply], msearch=[FINDS])
    at.index.search(QUERY)
    assert at.server.bodies("create") == FORMS[:1]


@pytest.mark.parametrize("refusal", [(200, {}), refused(400, "resource_already_exists_exception")])
def test_a_form_of_the_vectors_that_is_refused_is_followed_by_the_next(refusal: Reply) -> None:
    at = scene(mapping=[refused(404), MAPPING], create=[refused(400, "illegal_argument"), refusal], msearch=[FINDS])
    at.index.search(QUERY)
    assert at.server.bodies("create") == FORMS


def test_an_index_that_is_refused_in_every_form_is_a_mistake_of_the_configuration() -> None:
    at = scene(mapping=[refused(404)], create=[refused(400, "illegal_argument")])
    with pytest.raises(ConfigurationError, match="illegal_argument"):
        at.index.search(QUERY)
    assert len(at.server.bodies("create")) == 2


def stored(**changed: Any) -> Reply:
    """The mapping of an index whose vectors the server keeps otherwise than it was asked to."""
    body = deepcopy(FORMS[1])
    for name in ("vector", "card_vector"):
        body["mappings"]["properties"][name] |= changed
    return 200, {"passages": body}


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"method": {"name": "hnsw", "engine": "NMSLIB"}}, "NMSLIB, which refuses every search within a knowledge"),
        ({"space_type": "l2"}, "compares vectors by l2 and not by innerproduct"),
        ({"space_type": None}, "compares vectors by l2 and not by innerproduct"),
        ({"compression_level": "32x"}, "compressed 32x, and 1x was asked for; deploy with -c vectorCompression=32x"),
        ({"compression_level": None, "mode": "on_disk"}, "compressed 32x, and 1x was asked for"),
        ({"dimension": 3}, "3 dimensions"),
    ],
)
def test_an_index_that_the_server_made_otherwise_than_asked_is_refused(changed: dict[str, Any], sentence: str) -> None:
    at = scene(mapping=[refused(404), stored(**changed)], create=[(200, {})])
    with pytest.raises(ConfigurationError, match=sentence):
        at.index.search(QUERY)
    assert at.server.bodies("_msearch") == []


def test_the_vectors_of_an_earlier_index_are_as_they_are() -> None:
    """It records no compression and has the space at the method; NextGen has compressed it 32 times."""
    earlier = stored(
        compression_level="32x",
        space_type=None,
        method={"name": "hnsw", "space_type": "innerproduct", "engine": "faiss"},
    )
    del earlier[1]["passages"]["mappings"]["_meta"]["compression"]
    found = scene(mapping=[earlier]).index.vectors()
    assert found == {"engine": "faiss", "space": "innerproduct", "compression": "32x", "wanted": "1x"}


def test_an_index_that_is_never_found_after_its_creation_is_no_mistake_of_the_configuration() -> None:
    at = scene(mapping=[refused(404)], create=[(200, {})])
    with pytest.raises(UnavailableError, match="not found yet"):
        at.index.search(QUERY)
    assert len(at.slept) == 2


@pytest.mark.parametrize("times", [2, 5])
def test_a_write_waits_for_an_index_that_is_listed_and_not_found(times: int) -> None:
    seen = [*[GONE] * times, generations(), generations((YOUNG, 1, 1)), (200, found())]
    at = scene(search=seen, bulk=[WRITTEN])
    at.index.replace(MACBETH, speeches(1))
    assert at.slept == [1.0, 2.0, 4.0, 8.0, 16.0][:times]


def test_a_write_to_an_index_that_is_never_found_fails_in_half_a_minute() -> None:
    at = scene(search=[GONE])
    with pytest.raises(UnavailableError, match="not found"):
        at.index.delete(MACBETH)
    assert sum(at.slept) == 31


def test_an_unfinished_index_that_is_gone_is_not_made_by_who_reads_it() -> None:
    at = scene(building="passages-1", mapping=[refused(404)], create=[(200, {})], msearch=[FINDS])
    with pytest.raises(UnavailableError, match="begin again"):
        at.index.search(QUERY)
    assert at.server.bodies("create") == []


def test_a_role_that_may_neither_see_nor_make_the_index_is_told_so() -> None:
    with pytest.raises(ConfigurationError, match="access policy"):
        scene(mapping=[refused(403)], create=[refused(403)]).index.count(PassageFilter(PLAYS))


def test_an_index_without_the_name_of_its_embedder_is_known_by_its_dimension() -> None:
    body = deepcopy(FORMS[0])
    del body["mappings"]["_meta"]
    scene(mapping=[(200, {"i": body})], msearch=[FINDS]).index.search(QUERY)
    body["mappings"]["properties"]["vector"]["dimension"] = 3
    with pytest.raises(ConfigurationError, match="3 dimensions"):
        scene(mapping=[(200, {"i": body})]).index.search(QUERY)


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
    hits = [row_hit(YOUNG + 1, name) | {"sort": [name, "1"]} for name in names]
    pages = [(200, found(*hits[:PAGE])), (200, found(*hits[PAGE - 1 :]))]
    parts = [tuple(names[:MAX_BUCKETS]), tuple(names[MAX_BUCKETS:])]
    at = scene(search=[*pages, *(generations((YOUNG + 1, 1, 1), names=part) for part in parts)])
    assert at.index.rows(PassageFilter(PLAYS), Sort(TITLE), limit=2).total == len(names)
    asked = [body for body in at.server.bodies("_search") if "aggs" in body]
    assert [len(body["query"]["bool"]["filter"][-1]["terms"]["document_id"]) for body in asked] == [MAX_BUCKETS, 1]
