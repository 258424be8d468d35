/** What the client says itself, where the server says nothing. `CicadaClient` takes others, as of another language. */
export const SENTENCES = Object.freeze({
  closed: "The connection was closed.",
  unconnected: "There is no connection. Try again once there is one.",
  unsure: "There was no answer, so you may still be signed in elsewhere. Try again.",
  noList: "The list did not come; try again.",
  noRating: "The rating was not kept; try again.",
  noDocument: "The document did not come; try again.",
  noBases: "The list of knowledge bases did not come; try again.",
  noAnswer: "There was no answer; try again.",
  noDescription: "There was no answer; open it again to see what is kept.",
  notDeleted: "There was no answer, so it may not be deleted yet; try again.",
  notErased: "There was no answer, so not everything may be deleted; try again.",
});
