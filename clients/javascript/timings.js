/** Waiting times, milliseconds. */
export const TIMINGS = Object.freeze({
  /** How long an event may be missing before the request is resumed. Frames overtake each other by less. */
  gap: 1_000,
  /** How long a sent message may stay unaccepted before it is sent again: twice as long each time, up to the limit. */
  accept: 8_000,
  acceptLimit: 60_000,
  /** How long an answer may be silent before it is resumed; the reply says when the lease of its processor expires. */
  silence: 10_000,
  /** API Gateway closes a connection that is idle for ten minutes. */
  keepAlive: 300_000,
  /** How long before its token expires a connection is replaced; and how long after a failure it is tried again. */
  renewBefore: 60_000,
  renewAgain: 10_000,
  /** How long a connection may take to open. */
  open: 10_000,
  /** How long a ping or a list may stay unanswered. */
  reply: 10_000,
  /** How long a page of a document may take: API Gateway waits 29 s for it. */
  document: 30_000,
  /** The n-th attempt to connect waits a random time up to min(cap, base · 2ⁿ): "full jitter", AWS Architecture Blog. */
  backoffBase: 500,
  backoffCap: 30_000,
});
