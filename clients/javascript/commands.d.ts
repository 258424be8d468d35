/** Written by `make protocol` from the models; do not edit. */

export type Command =
  | SendMessage
  | Resume
  | Cancel
  | History
  | ChangeSession
  | DeleteSession
  | ShareSession
  | UnshareSession
  | OpenShared
  | EraseMine
  | Feedback
  | OpenDocument
  | ListKnowledgeBases
  | ListDocuments
  | ListMore
  | UploadDocument
  | DescribeDocument
  | RemoveDocument
  | ListUsers
  | AddUser
  | DisableUser
  | EnableUser
  | SetGroups
  | ReadUse
  | ReadFeedback
  | ReadFailures
  | Ping
  | SignOutEverywhere;

/**
 * Ask. `requestId` is made by the client; sending the same request again is harmless.
 *
 * Without `knowledgeBase` the question asks the one that its session began with. With `without` the message is shown
 * and kept, but not read: what is listed is what that answer listed, but for one condition.
 */
export interface SendMessage {
  action: "sendMessage";
  requestId: string;
  message: string;
  sessionId?: string | null;
  knowledgeBase?: string | null;
  scope?: Scope | null;
  without?: Without | null;
}
/**
 * Restricts a question: to episodes, and to documents that meet all filters.
 *
 * `metadata`: for each field the values of which it must have one, as a filter with `any` says too.
 */
export interface Scope {
  /**
   * @maxItems 50
   */
  episodes?: string[];
  metadata?: {
    /**
     * @minItems 1
     * @maxItems 50
     *
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^[A-Za-z_][A-Za-z0-9_]{0,63}$".
     */
    [k: string]: [string, ...string[]];
  };
  /**
   * @maxItems 20
   */
  filters?: Filter[];
}
/**
 * A condition on a metadata field. `eq`, `gte`, `gt`, `lte` and `lt` take `value`, `any` and `none` take `values`.
 *
 * `exists` takes nothing, or as `value` false: the field has no value. The knowledge base's schema says which fields
 * there are, and the types of their values; a date is a text such as `2026-01-31`.
 */
export interface Filter {
  field: string;
  op: "any" | "eq" | "exists" | "gt" | "gte" | "lt" | "lte" | "none";
  value?: string | number | boolean | null;
  /**
   * @maxItems 50
   */
  values?: (string | number | boolean)[];
}
/**
 * Lists what the answer `requestId` listed, without its condition number `condition`, from 0, of `plan.filters`.
 */
export interface Without {
  requestId: string;
  condition: number;
}
/**
 * Send me the events of this request after `afterSeq` (0 for all), and the later ones to this connection.
 */
export interface Resume {
  action: "resume";
  requestId: string;
  afterSeq: number;
}
/**
 * Stop generating.
 */
export interface Cancel {
  action: "cancel";
  requestId: string;
}
/**
 * Asks for the user's sessions, or with `sessionId` for that session's turns; newest first, older than `before`.
 *
 * Pinned sessions come before all others. `search`: only sessions with a question, or a title, that has each of these
 * words at any place; capitals and accents make no difference. A page then has what was found in a stretch of the
 * sessions, perhaps nothing, at most `limit` questions, and its `before` searches on; it has no effect on turns.
 */
export interface History {
  action: "history";
  sessionId?: string | null;
  before?: string | null;
  limit?: number;
  search?: string | null;
}
/**
 * Give a session a title, pin it or take the pin away; what is left out stays. The reply is `session`.
 */
export interface ChangeSession {
  action: "changeSession";
  requestId: string;
  sessionId: string;
  title?: string | null;
  pinned?: boolean | null;
}
/**
 * Delete a session with its questions and answers, for good. The reply is `session`, with null.
 *
 * Refused while an answer of it is under way. If it is refused otherwise, send it again: it goes on where it stopped.
 */
export interface DeleteSession {
  action: "deleteSession";
  requestId: string;
  sessionId: string;
}
/**
 * Let everybody of the user's tenant who has the id of the reply read a session. The reply is `sessionShared`.
 *
 * The id stays the same as long as the session is shared.
 */
export interface ShareSession {
  action: "shareSession";
  requestId: string;
  sessionId: string;
}
/**
 * Stop sharing a session, at once. The reply is `sessionShared`, with null.
 */
export interface UnshareSession {
  action: "unshareSession";
  requestId: string;
  sessionId: string;
}
/**
 * Asks for the turns of a session that somebody of the user's tenant shares; newest first, older than `before`.
 *
 * The reply is `shared`. What rests on documents that the user may not read is withheld.
 */
export interface OpenShared {
  action: "openShared";
  requestId: string;
  shareId: string;
  before?: string | null;
  limit?: number;
}
/**
 * Delete all of the user's conversations, profiles and theories, for good. The reply is `erased`.
 *
 * Refused while an answer is under way. While the reply says that something is left, send it again.
 */
export interface EraseMine {
  action: "eraseMine";
  requestId: string;
}
/**
 * Says what the user thinks of an answer; the last one counts. Without `rating` it is taken back.
 *
 * `requestId` is that of the answer. `reasons` and `comment` say why, for the operators and, without the user's name,
 * for the tenant's administrators.
 */
export interface Feedback {
  action: "feedback";
  requestId: string;
  rating?: ("bad" | "good") | null;
  /**
   * @maxItems 6
   */
  reasons?: ("incomplete" | "other" | "outdated" | "unrelated" | "unsupported" | "wrong")[];
  comment?: string;
}
/**
 * Asks for a page of a document's text: number `page`, else the one with `passage`, else the first.
 *
 * `passage`, as a source has it, is marked. It is the passage's number in the document, with `@` the beginning of a
 * version: in another version nothing is marked. Without `page` the reply has the outline too, and with `original` an
 * address of the document's file.
 */
export interface OpenDocument {
  action: "openDocument";
  requestId: string;
  knowledgeBase: string;
  documentId: string;
  passage?: string | null;
  page?: number | null;
  original?: boolean;
}
/**
 * Asks which knowledge bases the user may ask. The reply is `knowledgeBases`.
 */
export interface ListKnowledgeBases {
  action: "listKnowledgeBases";
  requestId: string;
}
/**
 * Asks for the documents of a knowledge base that the user may read, from the document number `offset` on.
 *
 * `search`: only those whose id, title and values have each of these words, in capitals or not. `sort`: `title`, `id`,
 * `passages`, `ingestedAt` or a field, with `-` in front from last to first. `documentId`: that document alone.
 * `filters`: only those that meet all of them.
 */
export interface ListDocuments {
  action: "listDocuments";
  requestId: string;
  knowledgeBase: string;
  search?: string | null;
  sort?: string | null;
  offset?: number;
  documentId?: string | null;
  /**
   * @maxItems 20
   */
  filters?: Filter[];
}
/**
 * Asks for the rows of the list in the answer `answer`, from number `offset` on. The reply is `listingPage`.
 *
 * Nothing is planned or searched again, and it is no turn of the session. Who may read the rows is asked each time.
 */
export interface ListMore {
  action: "listMore";
  requestId: string;
  answer: string;
  offset: number;
}
/**
 * Asks for a form by which a file may be sent to the document store, for editors.
 *
 * `readers`: who may read a new document, `everyone` alone or names as `user:<id>` and `group:<name>`; without them
 * the user alone. With `replace` the file takes the place of the one with this name, whose readers and fields stay.
 */
export interface UploadDocument {
  action: "uploadDocument";
  requestId: string;
  knowledgeBase: string;
  name: string;
  size: number;
  /**
   * @maxItems 50
   */
  readers?: string[];
  replace?: boolean;
}
/**
 * Asks what a document's sidecar says, or with `fields` writes it anew, for editors.
 *
 * Written is only over the `version` that the user was shown, empty where there was no sidecar. `fields`: values by
 * name; several are a list. `readers`: as in `uploadDocument`; without them the sidecar names none.
 */
export interface DescribeDocument {
  action: "describeDocument";
  requestId: string;
  knowledgeBase: string;
  documentId: string;
  fields?: {
    /**
     * @minItems 1
     * @maxItems 100
     *
     * This interface was referenced by `undefined`'s JSON-Schema definition
     * via the `patternProperty` "^[^\x00-\x1f\x7f]{1,200}$".
     */
    [k: string]: [string, ...string[]];
  } | null;
  /**
   * @maxItems 50
   */
  readers?: string[];
  version?: string;
}
/**
 * Takes a document away, for editors. It is `leaving` until it is searchable no more.
 *
 * The same command then takes what is left of it, its sidecar.
 */
export interface RemoveDocument {
  action: "removeDocument";
  requestId: string;
  knowledgeBase: string;
  documentId: string;
}
/**
 * Asks for the accounts of the user's tenant, for administrators. `after`: of the page before, as its `next`.
 */
export interface ListUsers {
  action: "listUsers";
  requestId: string;
  after?: string | null;
}
/**
 * Creates an account in the user's tenant, for administrators. The reply is `user`, with an initial password.
 *
 * `createGroups`: groups that are not there yet are made; else such a group is refused.
 */
export interface AddUser {
  action: "addUser";
  requestId: string;
  name: string;
  /**
   * @maxItems 50
   */
  groups?: string[];
  createGroups?: boolean;
}
/**
 * Lets a user sign in no longer, and ends what the user has open, for administrators. The reply is `user`.
 */
export interface DisableUser {
  action: "disableUser";
  requestId: string;
  name: string;
}
/**
 * Lets a disabled user in again, for administrators. The reply is `user`.
 */
export interface EnableUser {
  action: "enableUser";
  requestId: string;
  name: string;
}
/**
 * Gives a user these groups and no others, for administrators. They count from the user's next access token.
 *
 * The reply is `user`. `createGroups`: as in `addUser`.
 */
export interface SetGroups {
  action: "setGroups";
  requestId: string;
  name: string;
  /**
   * @maxItems 50
   */
  groups: string[];
  createGroups?: boolean;
}
/**
 * Asks how many tokens of models the user's tenant has used on each of the last `days`, for administrators.
 */
export interface ReadUse {
  action: "readUse";
  requestId: string;
  days?: number;
}
/**
 * Asks what users of the tenant think of answers to questions of the last `days`, for administrators.
 *
 * The reply is `ratings`.
 */
export interface ReadFeedback {
  action: "readFeedback";
  requestId: string;
  days?: number;
}
/**
 * Asks which questions of the tenant, of the last `days`, ended in an error, for administrators.
 *
 * The reply is `failures`.
 */
export interface ReadFailures {
  action: "readFailures";
  requestId: string;
  days?: number;
}
/**
 * Keep the connection alive; answered by `pong`.
 */
export interface Ping {
  action: "ping";
}
/**
 * End all sign-ins of the user on all devices. Every connection is told `signed_out`, this one too, and closed.
 */
export interface SignOutEverywhere {
  action: "signOutEverywhere";
}
