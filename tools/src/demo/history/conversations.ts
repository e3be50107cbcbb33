import { type ChatType, markRead, sendMessage } from '@watchline/contracts/chat'
import { addComment } from '@watchline/contracts/engagement'
import { listNotifications, reviewNotification } from '@watchline/contracts/notification'
import { requestSupervisor } from '@watchline/contracts/supervisor-requests'
import { supervisors, teamOf } from '../people.ts'
import { type DemoComment, type DemoReview, listComments, listMessages } from './conversation-script.ts'
import type { PlaylistIds } from './courses.ts'
import type { CallAs, Simulation } from './simulation.ts'
import type { DemoCalendar, Timeline } from './timeline.ts'

const readAfterMs = 5 * 60_000
const approvedAfterMs = 10 * 60_000

/** Adds comments with their reviews and replies, chats, and a request that waits. */
export function addConversations(
  timeline: Timeline,
  { call, idOf }: Pick<Simulation, 'call' | 'idOf'>,
  calendar: DemoCalendar,
  playlistIds: PlaylistIds,
): void {
  for (const comment of listComments(calendar)) addDemoComment(timeline, call, comment, playlistIds)
  for (const { from, to, text, at } of listMessages(calendar)) {
    timeline.add(at, () =>
      call(from, sendMessage, {
        body: { recipient_id: idOf(to), message: text, chat_type: chatTypeOf(from, to) },
      }),
    )
    // Today's messages stay unread.
    const room_id = [idOf(from), idOf(to)].toSorted().join('-')
    if (at < calendar.day(1, '00:00')) timeline.add(at + readAfterMs, () => call(to, markRead, { query: { room_id } }))
  }
  timeline.add(calendar.minutesAgo(80), () =>
    call('manager2', requestSupervisor, {
      body: {
        requested_supervisor_id: idOf('supervisor4'),
        reason: 'The second floor has a team and no supervisor who reports to me.',
      },
    }),
  )
}

function addDemoComment(
  timeline: Timeline,
  call: CallAs,
  { by, playlist, videoId, second, text, at, review, replies = [] }: DemoComment,
  playlistIds: PlaylistIds,
): void {
  let commentId: string | undefined
  const post = async (account: string, comment: string) => {
    const answer = await call(account, addComment, {
      body: {
        playlist_id: playlistIds.get(playlist)!,
        video_id: videoId,
        timestamp: second,
        comment,
        ...(commentId && { reply_to: commentId }),
      },
    })
    commentId ??= answer.comment.id
  }
  const addReview = (author: string, comment: string, { action, words, at }: DemoReview) =>
    timeline.add(at, () => reviewComment(call, supervisorOf(author)!, { comment, action, words }))

  timeline.add(at, () => post(by, text))
  if (review) addReview(by, text, review)
  for (const reply of replies) {
    timeline.add(reply.at, () => post(reply.by, reply.text))
    const approval: DemoReview = { action: 'approve', words: '', at: reply.at + approvedAfterMs }
    if (supervisorOf(reply.by)) addReview(reply.by, reply.text, approval)
  }
}

/** Reviews the trainee's comment with this text as the supervisor. */
async function reviewComment(
  call: CallAs,
  supervisor: string,
  { comment, action, words }: { comment: string } & Omit<DemoReview, 'at'>,
): Promise<void> {
  const { notifications } = await call(supervisor, listNotifications, { query: { waiting: 'true' } })
  const request = notifications.find(notification => notification.comment === comment)
  if (!request) throw new Error(`the demo’s comment “${comment}” has no request for approval`)
  await call(supervisor, reviewNotification, {
    params: { id: request.id },
    body: { action, supervisor_comment: words },
  })
}

/** Undefined for staff, whose comments need no approval. */
function supervisorOf(account: string): string | undefined {
  return supervisors.find((_, team) => teamOf(team).includes(account))
}

function chatTypeOf(from: string, to: string): ChatType {
  const accounts = `${from} ${to}`
  if (accounts.includes('trainee')) return 'user_supervisor'
  return accounts.includes('director') ? 'manager_director' : 'supervisor_manager'
}
