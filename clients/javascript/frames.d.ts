/** Written by `make protocol` from the models; do not edit. */

export type Frame =
  | Accepted
  | StatusChanged
  | SourcesFound
  | Listing
  | Chunk
  | Reset
  | Complete
  | Cancelled
  | Failed
  | Pending
  | HistoryPage
  | SessionChanged
  | SessionShared
  | SharedPage
  | Erased
  | DocumentPage
  | KnowledgeBasesListed
  | DocumentsPage
  | ListingPage
  | UploadForm
  | DocumentDescription
  | DocumentRemoved
  | FeedbackKept
  | UsersPage
  | UserChanged
  | UseRead
  | RatingsRead
  | FailuresRead
  | Pong
  | Refusal;

/**
 * The question is stored and queued; always the first event. `knowledgeBase` is the one that is asked.
 */
export interface Accepted {
  type: "accepted";
  sessionId: string;
  knowledgeBase?: string;
  requestId: string;
  seq: number;
}
/**
 * What is being done now; `detail` names the agent.
 */
export interface StatusChanged {
  type: "status";
  stage: "agent" | "answering" | "planning" | "ranking" | "searching";
  detail?: string;
  requestId: string;
  seq: number;
}
/**
 * Passages that the answer is made from; several such events add up. `knowledgeBase`: where they are from.
 *
 * A source whose number was sent before replaces that one: after the text, those that it rests on come with `spans`.
 */
export interface SourcesFound {
  type: "sources";
  sources: Source[];
  knowledgeBase?: string;
  requestId: string;
  seq: number;
}
/**
 * A cited passage. `relevance` is 0 to 1, or null where no text was ranked.
 *
 * `excerpt`: its text; of one that is too long, whole sentences, with `…` where it is cut.
 * `fields`: what the knowledge base shows of the document's metadata, texts by display names; absent if nothing.
 * `withheld`: the document was removed since, or the user may not read it any more; the excerpt says so.
 * `spans`: where in the excerpt stands what the answer rests on, each as its beginning and its end in Unicode
 * characters; in order and apart. They are known when the text is whole.
 * `passage`: its place, for `openDocument`.
 */
export interface Source {
  n: number;
  documentId: string;
  title: string;
  locator: SourceLocator;
  excerpt: string;
  relevance: number | null;
  fields?: {
    [k: string]: string;
  };
  withheld?: boolean;
  spans?: [number, number][];
  passage?: string;
}
/**
 * The place of a source: in a script its episode, chapter, messages and speakers; elsewhere its section path.
 */
export interface SourceLocator {
  episode?: string;
  chapter?: string;
  /**
   * @minItems 2
   * @maxItems 2
   */
  messages?: [number, number];
  speakers?: string[];
  section?: string[];
}
/**
 * Documents that match, in order. Several such events add up; each has the same `total`.
 *
 * `offset` is the number of the first one; `nextOffset` is that of the next page, null on the last. The first event
 * has what is shown before the documents: `columns`, the names of their fields in order; `aggregates`, the numbers
 * that were asked for; `groups`, the first of `groupCount`, by the fields `groupedBy`, whose names are for people.
 * `knowledgeBase`: where the documents are.
 */
export interface Listing {
  type: "listing";
  total: number;
  documents: ListedDocument[];
  offset: number;
  nextOffset: number | null;
  columns?: string[];
  aggregates?: Aggregate[];
  groupedBy?: string[];
  groups?: Group[];
  groupCount?: number;
  knowledgeBase?: string;
  requestId: string;
  seq: number;
}
/**
 * A document that matches. `fields`: the names for people of the fields that the base shows, and their values.
 *
 * Of documents about a subject, `excerpt` has sentences of the best passage, `reason` says in words what matched, and
 * `relevance`, 0 to 1, is its highest; else it is null, because a condition that is met is no measure.
 * `withheld`: the document was removed since, or the user may not read it any more; nothing of it is left.
 */
export interface ListedDocument {
  documentId: string;
  title: string;
  fields: {
    [k: string]: string;
  };
  relevance: number | null;
  excerpt?: string;
  reason?: string;
  withheld?: boolean;
}
/**
 * A figure of all documents that match. `name`: for people. `field`: absent where documents are counted.
 *
 * `documents`: how many of them have a value that it is computed from.
 */
export interface Aggregate {
  op: "avg" | "count" | "max" | "min" | "sum";
  name: string;
  figure: Figure;
  documents: number;
  field?: string;
}
/**
 * A number or a day that was computed. `value`: as people read it, null where it cannot be computed.
 *
 * `number`: the same for programs, where it is one.
 */
export interface Figure {
  value: string | null;
  number?: number;
}
/**
 * Documents with the same values of the fields of `groupedBy`, in their order; null: those without a value.
 *
 * `figures`: in the order of `aggregates`.
 */
export interface Group {
  values: (string | null)[];
  documents: number;
  figures: Figure[];
}
/**
 * The next piece of the answer's text; `[n]` in it cites source `n`.
 */
export interface Chunk {
  type: "chunk";
  content: string;
  requestId: string;
  seq: number;
}
/**
 * Discard the text and the sources so far: the answer is being generated again.
 */
export interface Reset {
  type: "reset";
  reason: string;
  requestId: string;
  seq: number;
}
/**
 * The answer is whole. `timings` are milliseconds, `path` names the steps taken, `confidence` is 0 to 1.
 *
 * `checked`: how many sentences were held against their passages; absent if the answer is not written from passages.
 * `unsupported`: those of them that the passages do not carry, at most 100. `stopped`: why the model ended early, as a
 * sentence at the end of the text says; absent for a normal end. Without an answer `confidence` is null then.
 */
export interface Complete {
  type: "complete";
  usage: Usage;
  timings: {
    [k: string]: number;
  };
  path: string[];
  confidence: number | null;
  plan?: PlanSummary;
  checked?: number;
  unsupported?: UnsupportedSentence[];
  stopped?: "cut" | "filtered" | "malformed" | "refused" | "repeating";
  requestId: string;
  seq: number;
}
/**
 * Tokens that the model read and wrote.
 */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
}
/**
 * What was understood, and how it was answered. `filters` are in words for people.
 *
 * `confidence`: 0 to 1, how likely the plan is right; absent where a model made it.
 * `documents`: how many documents meet the filters, where they were counted. `withheld`: how many were found that the
 * user may not view. `removable`: the places in `filters`, from 0, of those that `without` can leave out.
 */
export interface PlanSummary {
  strategy: "ContentOnly" | "Hybrid" | "MetadataOnly" | "NeedsClarification" | "NoMatch";
  knowledgeBase: string;
  query: string;
  by: string;
  filters: string[];
  documents?: number;
  withheld: number;
  confidence?: number;
  removable?: number[];
}
/**
 * A sentence of the answer that the passages it cites do not carry, or any passage if it cites none.
 *
 * `start`, `end`: where it stands in the whole text, in Unicode code points. `reason`: what in it the passages have
 * not (a number or date, a name, a negation, too many of its words), or that it cites none that there is.
 */
export interface UnsupportedSentence {
  start: number;
  end: number;
  reason: "name" | "negation" | "no_passage" | "number" | "words";
}
/**
 * The answer was stopped as asked; the text so far stays.
 */
export interface Cancelled {
  type: "cancelled";
  requestId: string;
  seq: number;
}
/**
 * The answer cannot be finished. `error` is a sentence for a person, `code` a name for programs.
 */
export interface Failed {
  type: "error";
  error: string;
  code: string;
  retryable: boolean;
  retryAfterSeconds?: number;
  requestId: string;
  seq: number;
}
/**
 * Reply to `resume` of a request that has not ended: resume it again after so long, unless an event comes before.
 *
 * By then a dead processor's lease has run out, so that the second `resume` replaces it without a needless wait.
 */
export interface Pending {
  type: "pending";
  retryAfterSeconds: number;
  requestId: string;
}
/**
 * Reply to `history`, newest first. `before` asks for the next page; null on the last.
 */
export interface HistoryPage {
  type: "history";
  sessionId: string | null;
  sessions: SessionSummary[];
  turns: Turn[];
  before: string | null;
}
/**
 * A session: `title` was made from its first question or given by the user, `lastAt` is an ISO 8601 time.
 *
 * `knowledgeBase` is the one that the session began with. `pinned`, `shared`: absent if it is not. `asked`: of what
 * was searched for, the questions that were found, newest first; absent where the title alone has the words.
 */
export interface SessionSummary {
  sessionId: string;
  title: string;
  lastAt: string;
  knowledgeBase?: string;
  pinned?: boolean;
  shared?: boolean;
  asked?: AskedQuestion[];
}
/**
 * A question in which searched words were found, as a turn has its `requestId` and `createdAt`.
 *
 * `excerpt`: a piece of it, on one line. `spans`: the words in that, as a source has them.
 */
export interface AskedQuestion {
  requestId: string;
  createdAt: string;
  excerpt: string;
  spans: [number, number][];
}
/**
 * One question of a session and its answer; a truncated answer is whole by `resume` from 0.
 *
 * `withheld`: how many of the documents that it was made from were removed since, or may not be read any more.
 * `rating`: what the user thought of it; null if nothing was said.
 */
export interface Turn {
  requestId: string;
  createdAt: string;
  status: "cancelled" | "complete" | "failed" | "processing" | "queued";
  message: string;
  answer: string;
  truncated: boolean;
  withheld: number;
  rating: ("bad" | "good") | null;
}
/**
 * Reply to `changeSession`: the session as it is now. Reply to `deleteSession`: null.
 */
export interface SessionChanged {
  type: "session";
  session: SessionSummary | null;
  requestId: string;
}
/**
 * Reply to `shareSession`: the id by which others open the session. Reply to `unshareSession`: null.
 */
export interface SessionShared {
  type: "sessionShared";
  sessionId: string;
  shareId: string | null;
  requestId: string;
}
/**
 * Reply to `openShared`, newest first. `owner`: the name of whom the session belongs to, who shares it.
 *
 * `before` asks for the next page; null on the last.
 */
export interface SharedPage {
  type: "shared";
  owner: string;
  title: string;
  turns: SharedTurn[];
  before: string | null;
  requestId: string;
}
/**
 * One question of a shared session and its answer, with the sources and the listed documents of the answer.
 *
 * `withheld`: the answer is not shown, because it rests on what the user may not read; the text says so. `truncated`:
 * something of the turn had no room. `knowledgeBase`: where sources and documents are from; null without any. What
 * depends on who asked, such as a relevance, is left out.
 */
export interface SharedTurn {
  requestId: string;
  createdAt: string;
  status: "cancelled" | "complete" | "failed" | "processing" | "queued";
  message: string;
  answer: string;
  truncated: boolean;
  withheld: boolean;
  knowledgeBase: string | null;
  sources: Source[];
  documents: ListedDocument[];
}
/**
 * Reply to `eraseMine`: how many conversations, their questions, and profiles and theories were deleted.
 *
 * `entries` counts earlier states of profiles and theories too. `left`: there is more to delete.
 */
export interface Erased {
  type: "erased";
  conversations: number;
  questions: number;
  entries: number;
  left: boolean;
  requestId: string;
}
/**
 * Reply to `openDocument`: page `page` of `pages`, whose blocks are one below the other.
 *
 * `version` changes when the document does, and with it the pages. `outline`: absent if `page` was asked for.
 * `originals`: the stage gives addresses of files to those who ask with `original`. `original`: one from which the
 * file may be had for a minute; absent if none was asked for, or the stage has no file of the document.
 */
export interface DocumentPage {
  type: "document";
  knowledgeBase: string;
  documentId: string;
  title: string;
  version: string;
  page: number;
  pages: number;
  blocks: DocumentBlock[];
  outline?: OutlineEntry[];
  originals?: boolean;
  original?: string;
  requestId: string;
}
/**
 * A piece of a document's text: passage `number`, counted from 0, without what the passage before it has too.
 *
 * `marked`: from which character to before which one it belongs to the passage that was asked for.
 */
export interface DocumentBlock {
  number: number;
  locator: SourceLocator;
  text: string;
  /**
   * @minItems 2
   * @maxItems 2
   */
  marked?: [number, number];
}
/**
 * A heading or a scene: the page that it begins on, and the number of its first block.
 */
export interface OutlineEntry {
  heading: string;
  page: number;
  number: number;
}
/**
 * Reply to `listKnowledgeBases`, by name. One that is not among them may exist: it is not for the user.
 */
export interface KnowledgeBasesListed {
  type: "knowledgeBases";
  bases: BaseSummary[];
  requestId: string;
}
/**
 * A knowledge base that the user may ask. `documents`: how many of it the user may read.
 *
 * `questions`: at most three to begin with, which are answered by a list or with sources.
 */
export interface BaseSummary {
  name: string;
  documents: number;
  description?: string;
  questions: string[];
}
/**
 * Reply to `listDocuments`: those from number `offset` on, of `total`. `nextOffset`: of the next ones, or null.
 *
 * `columns`: the names of the fields that the base shows, in order. On the first page `values`: known values of them,
 * and `ranges`: those that a range can be asked of, with what their values are.
 * For editors `you`: the names by which readers of a document may name the user, and `types`: the suffixes of files
 * that can be uploaded, of `mostBytes` each.
 */
export interface DocumentsPage {
  type: "documents";
  knowledgeBase: string;
  total: number;
  documents: DocumentSummary[];
  columns: string[];
  nextOffset: number | null;
  values?: {
    [k: string]: string[];
  };
  ranges?: {
    [k: string]: "date" | "number";
  };
  you?: string[];
  types?: string[];
  mostBytes?: number;
  requestId: string;
}
/**
 * A document of a list. `fields`: those that the base shows, by their names for people.
 *
 * `passages` and `ingestedAt`, an ISO 8601 time: 0 and null while it is not searchable. For editors besides: `state`,
 * what ingest has `said` of the file as it is, and the `readers`, of which none is everybody.
 * `standing`: whether it is in force, where the base says so. `versions`: the others of the same document that the
 * user may read, first what is in force. Neither is known of a document that was asked for by its id.
 */
export interface DocumentSummary {
  documentId: string;
  title: string;
  passages: number;
  ingestedAt: string | null;
  fields: {
    [k: string]: string;
  };
  state?: "ingesting" | "leaving" | "rejected" | "searchable" | "waiting";
  said?: string;
  readers?: string[];
  standing?: "inForce" | "noLonger" | "notYet";
  versions?: DocumentVersion[];
}
/**
 * Another version of a listed document. `version`: its number, or else its first day, where it has one.
 */
export interface DocumentVersion {
  documentId: string;
  title: string;
  version?: string;
  standing?: "inForce" | "noLonger" | "notYet";
}
/**
 * Reply to `listMore`: rows from number `offset` on, of `total`. `nextOffset`: that of the next ones, or null.
 *
 * `columns`: those that these rows have, in order; a later page may have others.
 */
export interface ListingPage {
  type: "listingPage";
  total: number;
  documents: ListedDocument[];
  offset: number;
  nextOffset: number | null;
  columns: string[];
  knowledgeBase: string;
  requestId: string;
}
/**
 * Reply to `uploadDocument`: where to send the file within so many seconds, by POST as `multipart/form-data`.
 *
 * The form has these fields, then the file as `file`. Nothing else than what was announced is taken.
 */
export interface UploadForm {
  type: "upload";
  documentId: string;
  url: string;
  fields: {
    [k: string]: string;
  };
  expiresSeconds: number;
  requestId: string;
}
/**
 * Reply to `describeDocument`: what the sidecar says now, and its version, empty without one.
 */
export interface DocumentDescription {
  type: "description";
  documentId: string;
  fields: {
    [k: string]: string[];
  };
  readers: string[];
  version: string;
  requestId: string;
}
/**
 * Reply to `removeDocument`. `gone`: nothing is left; else the document is leaving.
 */
export interface DocumentRemoved {
  type: "removed";
  documentId: string;
  gone: boolean;
  requestId: string;
}
/**
 * Reply to `feedback`, with the `requestId` of the answer: what is kept now; null after it was taken back.
 */
export interface FeedbackKept {
  type: "feedback";
  rating: ("bad" | "good") | null;
  requestId: string;
}
/**
 * Reply to `listUsers`, in no order. `next`: asks for the next page, null on the last. A page may be empty.
 *
 * `administrators`: the group whose members are administrators.
 */
export interface UsersPage {
  type: "users";
  users: UserSummary[];
  administrators: string;
  next: string | null;
  requestId: string;
}
/**
 * An account. `groups`: those that can be changed. `email`: absent without one. `you`: it is the user's own.
 *
 * `state`: `initial` has not chosen a password yet, `reset` must choose another, `federated` signs in elsewhere.
 */
export interface UserSummary {
  name: string;
  state: "active" | "disabled" | "federated" | "initial" | "other" | "reset";
  groups: string[];
  email?: string;
  you?: boolean;
}
/**
 * Reply to commands that change an account: as it is now.
 *
 * `initialPassword`: of a new account, for seven days, to be replaced at the first sign-in. It is shown once.
 * `closed`: how many connections of the user were closed.
 */
export interface UserChanged {
  type: "user";
  user: UserSummary;
  initialPassword?: string;
  closed?: number;
  requestId: string;
}
/**
 * Reply to `readUse`, the latest day first. `limit`: tokens of a day; null where they are not counted.
 *
 * `pricesOf`: the day of the list prices that costs are estimated by, null without any.
 */
export interface UseRead {
  type: "use";
  days: DayOfUse[];
  limit: number | null;
  pricesOf: string | null;
  requestId: string;
}
/**
 * The tokens that models read and wrote for a tenant on a day in UTC, as `2026-01-31`.
 *
 * `dollars`: an estimate of their cost by the chat model's prices; null where these are not known.
 */
export interface DayOfUse {
  day: string;
  tokens: number;
  dollars: number | null;
}
/**
 * Reply to `readFeedback`. `days`: those with ratings, the latest first; `latest`: of the latest questions.
 *
 * `complete`: false if there are more ratings than were read, so that the numbers are those of the latest alone.
 */
export interface RatingsRead {
  type: "ratings";
  days: DayOfRatings[];
  latest: RatedAnswer[];
  complete: boolean;
  requestId: string;
}
/**
 * How many answers to questions of a day in UTC, as `2026-01-31`, were rated.
 */
export interface DayOfRatings {
  day: string;
  good: number;
  bad: number;
}
/**
 * What a user thinks of an answer, without the user, the question and the answer. `askedAt`: an ISO 8601 time.
 *
 * `comment`: the user's own words, empty without any. `knowledgeBase`: the one that was asked.
 */
export interface RatedAnswer {
  requestId: string;
  askedAt: string;
  knowledgeBase: string;
  rating: "bad" | "good";
  reasons: string[];
  comment: string;
}
/**
 * Reply to `readFailures`. `days`: the latest first, by code; `latest`: of the latest questions.
 *
 * `complete`: false if there are more failures than were read, so that the numbers are those of the latest alone.
 */
export interface FailuresRead {
  type: "failures";
  days: DayOfFailures[];
  latest: FailedAnswer[];
  complete: boolean;
  requestId: string;
}
/**
 * How many questions of a day in UTC, as `2026-01-31`, ended in the error of this code.
 */
export interface DayOfFailures {
  day: string;
  code: string;
  requests: number;
}
/**
 * A question that ended in an error, without its text and its user. The fields are those of a rated answer.
 */
export interface FailedAnswer {
  requestId: string;
  askedAt: string;
  knowledgeBase: string;
  code: string;
}
/**
 * Reply to `ping`.
 */
export interface Pong {
  type: "pong";
}
/**
 * The command is refused. `requestId` is that of the command, if it had one; without `seq`, unlike an event.
 */
export interface Refusal {
  type: "error";
  error: string;
  code: string;
  retryable: boolean;
  retryAfterSeconds?: number;
  requestId?: string;
}
