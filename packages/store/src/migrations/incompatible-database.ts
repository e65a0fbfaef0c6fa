/** The database is of another version of Sluice, and this one cannot use it. To wait does not help. */
export class IncompatibleDatabase extends Error {}

export class UpgradeUnderWay extends Error {}
