/**
 * The pages of a search of the user's conversations, until `wanted` questions are found or all conversations are looked through.
 * A page may have nothing, because the service looks through a part of them at a time. `history`: as the client has it.
 */
export async function* searchPages(history, { search, before, wanted }) {
  let [place, left] = [before, wanted];
  do {
    const page = await history({ before: place, limit: left, search });
    yield page;
    place = page.before;
    left -= page.sessions.reduce((sum, { asked }) => sum + (asked?.length || 1), 0);
  } while (place && left > 0);
}

/** The conversations with those of a later page. One that comes again has the questions of both. */
export function together(sessions, later) {
  const again = new Map(later.map((each) => [each.sessionId, each]));
  const known = new Set(sessions.map(({ sessionId }) => sessionId));
  const grown = sessions.map((each) => ({ ...each, ...again.get(each.sessionId), asked: [...(each.asked ?? []), ...(again.get(each.sessionId)?.asked ?? [])] }));
  return [...grown, ...later.filter(({ sessionId }) => !known.has(sessionId))];
}
