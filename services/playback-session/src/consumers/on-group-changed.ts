import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { PlaybackContext } from '../context.ts'

export const onGroupChanged = defineConsumer(
  'group.changed',
  ({ event, tx }, ctx: PlaybackContext) => ctx.groups.applyChange(event.data, tx.session),
  { partitionKey: event => event.data.group_id },
)
