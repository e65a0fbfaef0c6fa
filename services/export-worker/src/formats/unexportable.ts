/** The file cannot be made; the message is for the owner. */
export class Unexportable extends Error {}

/** For a reason that is not in the entries. */
export class Defect extends Unexportable {}
