/** How long a request and its response may be. MediaWiki has these numbers, so its clients divide their work by them. */
export const SIZES = {
  /** Bytes of a request: a query may contain many titles, and `parse` a text. */
  request: 1_048_576,
  /** Bytes of a JSON message: half a million brackets take many times as long to parse as half as many. */
  message: 262_144,
  /** Characters of a response; longer results are returned in parts. */
  response: 8_388_608,
};
