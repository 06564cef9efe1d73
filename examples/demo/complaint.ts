/** An error that the user of the demo can fix: one sentence without a stack. */
export class Complaint extends Error {
  override readonly name = 'Complaint';
}
