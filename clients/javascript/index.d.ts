import type {
  AddUser,
  ChangeSession,
  DescribeDocument,
  Feedback,
  History,
  ListDocuments,
  ListMore,
  ListUsers,
  OpenDocument,
  OpenShared,
  ReadFailures,
  RemoveDocument,
  SendMessage,
  SetGroups,
  UploadDocument,
} from "./commands.js";
import type {
  BaseSummary,
  Cancelled,
  Complete,
  DocumentDescription,
  DocumentPage,
  DocumentRemoved,
  DocumentsPage,
  Erased,
  Failed,
  FailuresRead,
  FeedbackKept,
  Frame,
  HistoryPage,
  Listing,
  ListingPage,
  RatingsRead,
  Refusal,
  SessionSummary,
  SharedPage,
  Source,
  UploadForm,
  UseRead,
  UserChanged,
  UsersPage,
} from "./frames.js";

export type * from "./commands.js";
export type * from "./frames.js";

/** What is said of a command; the client adds the rest. */
export type Asked<C extends { action: string }> = Omit<C, "action" | "requestId">;

/** A frame that belongs to a request: an event of its answer. */
export type AnswerEvent = Extract<Frame, { seq: number }>;

export type ConnectionState = "idle" | "connecting" | "open" | "waiting" | "offline" | "signedOut";

/**
 * Gives an access token at each connect, alone or with the milliseconds that it is still valid. `fresh` demands a new one.
 * Rejects with `SignInNeededError` if the user must sign in again.
 */
export type TokenProvider = (demand: { fresh: boolean }) => Promise<string | { token: string; validMs?: number }>;

export interface Clock {
  setTimeout(action: () => void, delay: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** What the client uses of a WebSocket; browsers and Node 22 have one, and so has the package `ws`. */
export interface Socket {
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  onerror: ((event: any) => void) | null;
  readonly readyState: number;
  send(text: string): void;
  close(): void;
}

export interface ClientOptions {
  /** The stack's output `WebSocketUrl`. */
  url: string;
  token: TokenProvider;
  /** Where the token is sent; "query" if not given, which the local stage needs. */
  tokenIn?: "query" | "subprotocol";
  /** For questions that begin a session and name none; without it the default of the server is used. */
  knowledgeBase?: string;
  WebSocket?: new (url: string, protocols?: string[]) => Socket;
  clock?: Clock;
  random?: () => number;
  newId?: () => string;
  timings?: Partial<typeof TIMINGS>;
  sentences?: typeof SENTENCES;
}

export interface ClientEvents {
  /** The state of the connection has changed. */
  connection: CustomEvent<ConnectionState>;
  /** A request has changed. */
  request: CustomEvent<Request>;
  /** A frame of a request as the server sent it, for other clients of the user to `hear`. */
  event: CustomEvent<AnswerEvent>;
}

// A class may not narrow the events of its base.
declare const Target: new () => Omit<EventTarget, "addEventListener">;
export {};

/** Asks questions, and receives each answer whole, over as many connections as necessary. */
export class CicadaClient extends Target {
  constructor(options: ClientOptions);

  addEventListener<K extends keyof ClientEvents>(
    type: K,
    listener: ((event: ClientEvents[K]) => void) | null,
    options?: boolean | { capture?: boolean; once?: boolean; passive?: boolean; signal?: AbortSignal },
  ): void;

  readonly state: ConnectionState;
  /** Why there has been no connection for several attempts. */
  readonly trouble: "refused" | "noToken" | null;
  /** Whether the server has ended the user's sign-in. */
  readonly signedOut: boolean;
  connect(): void;
  /** Closes the connection, and forgets the requests; they go on at the server and can be followed later. */
  close(): void;
  /** The network is back, or the device woke up. */
  online(): void;
  offline(): void;
  signOutEverywhere(): Promise<void>;

  ask(question: Asked<SendMessage> & { requestId?: string }): Request;
  /** The whole answer to a request of an earlier visit. */
  follow(requestId: string): Request;
  /** A request that another client of the user follows, which tells what it hears. */
  overhear(requestId: string): Request;
  /** Takes the frame of an "event" of another client. */
  hear(frame: AnswerEvent): void;
  /** Repeats a refused request with the same id. */
  retry(requestId: string): Request;
  cancel(requestId: string): void;

  // Each of the following rejects with a `CicadaError`.

  history(asked?: Asked<History>): Promise<HistoryPage>;
  /** `requestId`: of the answer. Without `rating` the earlier one is taken back. */
  rate(rating: Omit<Feedback, "action">): Promise<FeedbackKept>;
  changeSession(change: Asked<ChangeSession>): Promise<SessionSummary>;
  deleteSession(session: { sessionId: string }): Promise<void>;
  /** Resolves to the id by which others of the tenant open the session. */
  shareSession(session: { sessionId: string }): Promise<string>;
  unshareSession(session: { sessionId: string }): Promise<void>;
  openShared(asked: Asked<OpenShared>): Promise<SharedPage>;
  /** To be asked again while something is `left`. */
  eraseMine(): Promise<Pick<Erased, "conversations" | "questions" | "entries" | "left">>;
  knowledgeBases(): Promise<BaseSummary[]>;
  listDocuments(asked: Asked<ListDocuments>): Promise<DocumentsPage>;
  /** The rows of the list in an answer; `answer`: its requestId. */
  listMore(asked: Asked<ListMore>): Promise<ListingPage>;
  openDocument(place: Asked<OpenDocument>): Promise<DocumentPage>;

  // For editors.

  uploadDocument(file: Asked<UploadDocument>): Promise<UploadForm>;
  describeDocument(description: Asked<DescribeDocument>): Promise<DocumentDescription>;
  removeDocument(document: Asked<RemoveDocument>): Promise<DocumentRemoved>;

  // For administrators.

  listUsers(asked?: Asked<ListUsers>): Promise<UsersPage>;
  /** Resolves to the account with its initial password, which is shown once. */
  addUser(user: Asked<AddUser>): Promise<UserChanged>;
  disableUser(user: { name: string }): Promise<UserChanged>;
  enableUser(user: { name: string }): Promise<UserChanged>;
  setGroups(user: Asked<SetGroups>): Promise<UserChanged>;
  readUse(asked?: { days?: number }): Promise<UseRead>;
  readFeedback(asked?: { days?: number }): Promise<RatingsRead>;
  readFailures(asked?: Asked<ReadFailures>): Promise<FailuresRead>;
}

/** A request: its answer so far. */
export interface Request {
  readonly requestId: string;
  readonly sessionId: string | null;
  readonly text: string;
  readonly sources: readonly Source[];
  readonly listing: Listed | null;
  readonly stage: string | null;
  readonly accepted: boolean;
  /** How it ended; null until then. */
  readonly outcome: "complete" | "cancelled" | "error" | null;
  readonly failure: Failed | Refusal | null;
  /** The user has asked to stop. */
  readonly cancelling: boolean;
  readonly assembly: Assembly;
}

/** The answer that the events of a request make up, in whatever order and however often they arrive. */
export class Assembly {
  readonly lastSeq: number;
  readonly sessionId: string | null;
  readonly stage: string | null;
  readonly detail: string | null;
  readonly text: string;
  readonly sources: readonly Source[];
  /** The knowledge base that is asked. */
  readonly asked: string | null;
  /** The one that the sources and the listed documents are from. */
  readonly knowledgeBase: string | null;
  readonly listing: Listed | null;
  /** Why the answer was started again; null during the first attempt. */
  readonly resetReason: string | null;
  readonly end: Complete | Cancelled | Failed | null;
  /** Whether a later event has arrived, but not the next one. */
  readonly gap: boolean;
  /** Returns whether at least one event was applied. */
  take(event: AnswerEvent): boolean;
}

/** The documents and numbers of an answer's `listing` events; null where they were not asked for. */
export type Listed = Pick<Listing, "total" | "documents" | "offset" | "nextOffset"> & {
  [name in "columns" | "aggregates" | "groupedBy" | "groups" | "groupCount"]: NonNullable<Listing[name]> | null;
};

/** A failure whose message is a sentence for a person. */
export class CicadaError extends Error {
  constructor(
    message: string,
    details?: { code?: string; retryable?: boolean; retryAfterSeconds?: number | null; cause?: unknown },
  );
  /** As in the protocol. */
  readonly code: string;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | null;
}

/** Thrown by a token provider if the user must sign in again. */
export class SignInNeededError extends CicadaError {}

/** What the client says itself, where the server says nothing. */
export const SENTENCES: Readonly<
  Record<
    | "closed"
    | "unconnected"
    | "unsure"
    | "noList"
    | "noRating"
    | "noDocument"
    | "noBases"
    | "noAnswer"
    | "noDescription"
    | "notDeleted"
    | "notErased",
    string
  >
>;

/** Waiting times, milliseconds. */
export const TIMINGS: Readonly<
  Record<
    | "gap"
    | "accept"
    | "acceptLimit"
    | "silence"
    | "keepAlive"
    | "renewBefore"
    | "renewAgain"
    | "open"
    | "reply"
    | "document"
    | "backoffBase"
    | "backoffCap",
    number
  >
>;
