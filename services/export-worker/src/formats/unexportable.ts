/** The file cannot be made; the message is for the owner. */
export class Unexportable extends Error {}
