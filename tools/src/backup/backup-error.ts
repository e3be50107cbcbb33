/** A problem that the operator can fix. The message is enough, without a stack. */
export class BackupError extends Error {}
