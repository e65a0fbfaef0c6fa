/** Names of what webhooks tell. */
export const webhookEvents = [
  'entries.stored',
  'entries.silent',
  'refusals.threshold',
  'export.completed',
  'export.failed',
  'import.completed',
  'import.failed',
  'archive.completed',
  'archive.failed',
  'schema.published',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

/** Whether the event tells the end of a job. */
export const isOfJob = (event: WebhookEvent): boolean => /^(export|import|archive)\./.test(event);
