/** Something that the person who starts the demo can put right: told in one sentence, without a stack. */
export class Complaint extends Error {
  override readonly name = 'Complaint';
}
