/**
 * Where requests begin to be rejected. No site was seen that needs other numbers: they are far above what people and programs do, and far
 * below what guessing takes.
 */
export const LIMITS = {
  /** Wrong secrets of a client per address and minute: a deployment with an old secret notices at once, and a guesser has no use of ten. */
  clientFailures: 10,
  /** Wrong passwords per user name and address in ten minutes: people who try all they have stay below. */
  loginFailures: 10,
  /** Failures per address, whatever the name: wrong passwords in ten minutes, wrong secrets hashed with scrypt in one. Offices share an address. */
  sourceFailures: 50,
  /** Approvals without a question per owner, client and minute, in each process: more than that, a page reloads itself. */
  silentApprovals: 30,
  /** Personal tokens of an owner: a page can show them, and a person can tell them apart. */
  personalTokens: 20,
  /**
   * Live records in the store that a process writes for callers who have proven nothing: a few megabytes. One half is for requests of public
   * clients that an owner has yet to answer, the other for failed attempts.
   */
  unprovenRecords: 10_000,
};
