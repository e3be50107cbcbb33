import type { getOwnAccount } from '@watchline/contracts/auth'
import type { countOwnMessages } from '@watchline/contracts/chat'
import type { getOwnRecord } from '@watchline/contracts/engagement'
import type { countOwnNotifications } from '@watchline/contracts/notification'
import type { ResponseOf } from '@watchline/contracts/operation'
import type { Role } from '@watchline/contracts/people'
import type { countOwnSessions } from '@watchline/contracts/playback'
import type { Retention } from '@watchline/contracts/privacy'
import { formatCount, formatNumber, formatWatchTime } from '../../ui/dates/format.ts'
import { describeKeptDays } from '../../ui/dates/kept-days.ts'

/** The answers of the services about the signed-in person; undefined until they are loaded. */
export interface StoredFigures {
  account?: ResponseOf<typeof getOwnAccount> | undefined
  sessions?: ResponseOf<typeof countOwnSessions> | undefined
  record?: ResponseOf<typeof getOwnRecord> | undefined
  messages?: ResponseOf<typeof countOwnMessages> | undefined
  notifications?: ResponseOf<typeof countOwnNotifications> | undefined
  /** How long the operator keeps data. */
  retention?: Retention | undefined
  /** Stands for what is not loaded. */
  missing?: string
}

/** One kind of data that Watchline stores of a person. */
export interface StoredKind {
  kind: string
  amount: string
  /** On screens; administrators can also download all of it. */
  visibleTo: string
  keptFor: string
}

const ownEyes = 'You'

/** The people above a role, who see the work of those with the role. */
const superiors: Record<Role, string> = {
  user: 'your supervisor, their manager, directors and administrators',
  supervisor: 'your manager, directors and administrators',
  manager: 'directors and administrators',
  director: 'directors and administrators',
  admin: 'directors and administrators',
}

/** Roles whose comments more people can read than their team and superiors. */
const commentReaders: Partial<Record<Role, string>> = {
  director: 'Everybody who can watch the video',
  admin: 'Everybody who can watch the video',
}

/** Lists all that is stored of a person, with the amounts as far as they are known. */
export function describeStoredData(role: Role, figures: StoredFigures): StoredKind[] {
  const { account, sessions, record, messages, notifications, retention, missing = '…' } = figures
  const above = superiors[role]
  // Staff may have had tasks before a promotion. Then their record stays visible.
  const recordReaders = role === 'user' ? `You, ${above}` : `You; if you ever had a task, also ${above}`
  const days = (kind: keyof Retention) => (retention ? describeKeptDays(retention[kind]) : missing)
  const kinds: (Omit<StoredKind, 'amount'> & { amount: string | undefined })[] = [
    {
      kind: 'Profile: name, email (earlier ones, too), picture, role and place in the organisation',
      amount: '1 profile',
      visibleTo: `You, ${above}, and the people you can write to; earlier names nobody`,
      keptFor: 'As long as you belong to the organisation',
    },
    {
      kind: 'Sign-ins: time, browser and network address',
      amount: account && formatCount(account.sessions.length, 'session'),
      visibleTo: ownEyes,
      keptFor: `${days('sign_ins')} after the sign-in has ended`,
    },
    {
      kind: 'Groups and roles that you have at the sign-in provider, as far as rules may use them',
      amount: 'Those of your last sign-in',
      visibleTo: 'Nobody; they decide your role and team where administrators have made such rules',
      keptFor: 'A year after they last changed',
    },
    {
      kind: 'Groups that you are in, or whose tasks you may assign',
      amount: 'Not counted',
      visibleTo:
        'Directors, administrators, and supervisors who may assign to the group; managers with a user in it see its name',
      keptFor: 'Until you leave the group',
    },
    {
      kind: 'Whether you are online now, and the playlist you watch',
      amount: 'The present state',
      visibleTo: role === 'user' ? `You, ${above}` : `You, and all supervisors, managers, directors and administrators`,
      keptFor: 'A few minutes',
    },
    {
      kind: 'Tasks assigned to you, with their dates',
      amount: sessions && formatCount(sessions.assignments, 'task'),
      visibleTo: `You, ${above}`,
      keptFor: 'With their history, until you are erased; then without names and reasons',
    },
    {
      kind: 'Changes of the due dates of your tasks, and exceptions: by whom, when and why',
      amount: 'Not counted',
      visibleTo: `You, ${above}`,
      keptFor: 'Until you are erased; then without names and reasons',
    },
    {
      kind: 'Where you stopped in a playlist',
      amount: sessions && formatCount(sessions.positions, 'playlist'),
      visibleTo: ownEyes,
      keptFor: 'As long as you belong to the organisation',
    },
    {
      kind: 'Monitored sessions: playlist, start and end',
      amount: sessions && formatCount(sessions.monitored_sessions, 'session'),
      visibleTo: `${recordReaders}, in a record`,
      keptFor: `${days('monitored_sessions')} after the end`,
    },
    {
      kind: 'Watched seconds of each video, with integrity notes',
      amount: record && watchedAmount(record.playlists),
      visibleTo: recordReaders,
      keptFor: 'Until you are erased; then without your name',
    },
    {
      kind: 'Attention checks of the task that you watched last',
      amount: 'The present state',
      visibleTo: 'Nobody; a check without an answer in time is one of the integrity notes',
      keptFor: 'Until you watch another task',
    },
    {
      kind: 'Signed records and certificates',
      amount: 'Not counted',
      visibleTo: `${recordReaders}; anyone who has one can verify it`,
      keptFor: 'As long as you belong to the organisation; then a seal without your name',
    },
    {
      kind: 'Reports of your player, as they arrived',
      amount: 'Not counted',
      visibleTo: 'Nobody; the operators of Watchline can check a disputed record with them',
      keptFor: days('player_reports'),
    },
    {
      kind: 'Comments and replies',
      amount: record && formatCount(record.comments, 'comment'),
      visibleTo: `${commentReaders[role] ?? `You, your team and ${above}`}; a rejected comment only you`,
      keptFor: `${days('comments')}, unless you delete them before`,
    },
    {
      kind: 'Chat messages',
      amount: messages && messagesAmount(messages),
      visibleTo: 'You and the other person of each conversation',
      keptFor: days('messages'),
    },
    {
      kind: 'Notifications',
      amount: notifications && formatCount(notifications.notifications, 'notification'),
      visibleTo: ownEyes,
      keptFor: days('notifications'),
    },
    ...(role === 'user'
      ? []
      : [
          {
            kind: 'Reports that you saved, with their recipients',
            amount: 'Not counted',
            visibleTo: 'You and their recipients',
            keptFor: 'Until you delete them',
          },
          {
            kind: 'What you did as a superior: playlists, assignments, changes of tasks, reviews, and looks at details of others',
            amount: 'Not counted',
            visibleTo: 'You, and those who see the playlist, the task, the comment or the list of looks',
            keptFor: 'As long as the playlist, the task, the comment or the look itself',
          },
        ]),
    {
      kind: 'Your answer to the notice about monitored sessions',
      amount: 'Not counted',
      visibleTo: ownEyes,
      keptFor: 'Until you are erased',
    },
    {
      kind: 'Mails that you chose, with their language',
      amount: 'Not counted',
      visibleTo: ownEyes,
      keptFor: 'Until you are erased',
    },
    {
      kind: 'The time zone that you chose',
      amount: 'Not counted',
      visibleTo: 'You; your superiors see it beside a due date in this time zone',
      keptFor: 'Until you are erased; due dates that were set in it keep it',
    },
    {
      kind: 'Mails, if your organisation sends them: kind, time and whether they arrived',
      amount: 'Not counted',
      visibleTo: 'You and administrators',
      keptFor: days('notifications'),
    },
    {
      kind: 'Who looked at your details',
      amount: 'Listed below',
      visibleTo: 'You and administrators',
      keptFor: days('detail_views'),
    },
    {
      kind: 'Audit log: changes of your role and team, and acts of administrators',
      amount: 'Not counted',
      visibleTo: 'Administrators',
      keptFor: days('audit_entries'),
    },
  ]
  return kinds.map(({ amount = missing, ...kind }) => ({ ...kind, amount }))
}

function watchedAmount(playlists: ResponseOf<typeof getOwnRecord>['playlists']): string {
  const videos = playlists.flatMap(playlist => playlist.videos).filter(({ watch_time }) => watch_time > 0)
  const watchTime = videos.reduce((sum, { watch_time }) => sum + watch_time, 0)
  return videos.length === 0 ? 'None' : `${formatCount(videos.length, 'video')}, ${formatWatchTime(watchTime)}`
}

function messagesAmount({ rooms, sent, received }: ResponseOf<typeof countOwnMessages>): string {
  if (rooms === 0) return 'None'
  return `${formatNumber(sent)} sent, ${formatNumber(received)} received, in ${formatCount(rooms, 'conversation')}`
}
