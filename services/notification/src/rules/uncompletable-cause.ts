import type { EventData } from '@watchline/contracts/events'

type Cause = EventData<'task.uncompletable'>['reason']

const sentences: Record<Cause, string> = {
  no_playable_video: 'none of its videos can be played',
  no_access: 'the account is deactivated',
}

/** The cause in English for the notification, and its code for mails in other languages. */
export function describeCause(cause: Cause): { text: string; cause: Cause } {
  return { text: sentences[cause], cause }
}
