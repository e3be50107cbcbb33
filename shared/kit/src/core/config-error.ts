/** A setting is wrong or missing; its message is one line for the operator. */
export class ConfigError extends Error {}
