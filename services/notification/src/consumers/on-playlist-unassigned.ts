import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { markTaskRead } from '../actions/mark-task-read.ts'
import type { NotificationContext } from '../context.ts'

export const onPlaylistUnassigned = defineConsumer(
  'playlist.unassigned',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { playlist_id, unassigned } = event.data
    await markTaskRead(ctx, tx, unassigned, playlist_id)
  },
)
