import type { PersonalDataKind } from '@watchline/contracts/privacy'
import type { PersonalData } from '../../api/personal-data.ts'
import { formatExactTime, formatPercent, formatPosition, formatWatchTime } from '../dates/format.ts'

/**
 * The heading of each kind, in the order of the page; a kind of a newer server shows its own name.
 */
const headings: Record<PersonalDataKind, string> = {
  account: 'Account',
  group_memberships: 'Groups that you are in',
  assignable_groups: 'Groups that you may assign to',
  sign_in_claims: 'What your sign-in provider said of you',
  sign_ins: 'Sign-ins',
  failed_sign_ins: 'Failed sign-ins with your address',
  second_factors: 'Second steps of your sign-in',
  notice_answers: 'Your answers to the notice about monitored sessions',
  supervisor_requests: 'Requests for supervisors',
  audit_entries: 'What administrators changed',
  own_acts: 'What you changed',
  own_playlists: 'Playlists that you made, and with whom you shared them',
  own_deleted_playlists: 'Deleted playlists that you made or deleted',
  own_assignments: 'Tasks that you assigned',
  own_group_assignments: 'Playlists that you assigned to groups',
  own_task_changes: 'Due dates that you changed, and exceptions that you made',
  own_reviews: 'Comments that you reviewed',
  own_hidden_comments: 'Comments that you hid',
  own_detail_views: 'Whose details you looked at',
  tasks: 'Tasks',
  changes_of_due_dates: 'Changes of your tasks by superiors',
  uncompletable_tasks: 'Tasks that cannot be completed',
  former_leaders: 'Former superiors who hear of your overdue tasks',
  task_groups: 'Groups through which you can get tasks',
  time_zones: 'Your time zone for due dates',
  positions: 'Where you stopped',
  watch_record: 'Watch record',
  attention_checks: 'Attention checks of your last task',
  monitored_sessions: 'Monitored sessions',
  task_history: 'History of your tasks',
  recorded_sessions: 'Monitored sessions in your record',
  issued_records: 'Issued records and certificates',
  named_in_records: 'Records of others that name you',
  comments: 'Comments',
  conversations: 'Conversations',
  messages: 'Messages that you sent',
  notifications: 'Notifications',
  mails: 'Mails to you',
  mail_choices: 'Which mails you get',
  bounces: 'Mails that could not be delivered',
  reminders: 'Reminders',
  videos_reported: 'Videos that did not play',
  saved_reports: 'Reports that you saved',
  received_reports: 'Reports that are sent to you',
  detail_views: 'Who looked at your details',
  player_reports: 'Reports of your player',
}

type Names = ReadonlyMap<string, string>

/**
 * A page of HTML that needs nothing else, for reading and printing. Every text is escaped.
 * Technical fields without meaning for people are only in the JSON file.
 */
export function formatPersonalDataHtml(data: PersonalData, at: Date): string {
  const order: string[] = Object.keys(headings)
  const rank = (kind: string) => (Object.hasOwn(headings, kind) ? order.indexOf(kind) : order.length)
  const kinds = Object.entries(data).sort(([kind], [other]) => rank(kind) - rank(other))
  const names = new Map<string, string>()
  collectNames(data, names)
  const sections = kinds.map(([kind, items]) => {
    const heading = Object.hasOwn(headings, kind) ? headings[kind as PersonalDataKind] : labelOf(kind)
    return `<section><h2>${escapeText(heading)} (${items.length})</h2>${items.map(item => formatValue('', item, names)).join('')}</section>`
  })
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>What Watchline records</title>
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
dl{display:grid;grid-template-columns:minmax(7rem,auto) 1fr;gap:0 1rem;margin:0 0 1rem;padding:.5rem;border:1px solid #8888}
dt{opacity:.75}dd{margin:0;overflow-wrap:anywhere;white-space:pre-wrap}dl dl{margin:0 0 .5rem;border-width:0 0 0 2px;padding:0 0 0 .5rem}
@media(max-width:40rem){dl{display:block}dt{margin-top:.25rem;font-size:.9em}}</style></head>
<body><h1>What Watchline records</h1><p>As of ${escapeText(formatExactTime(at.toISOString()))}. Ids and other technical fields are in the JSON file.</p>
${sections.join('\n')}</body></html>
`
}

/** The names that the data themselves give to ids: those of playlists, videos and people. */
function collectNames(value: unknown, names: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) return
  const fields = value as Record<string, unknown>
  const named = [
    ['video_id', fields.video_title ?? fields.title],
    ['playlist_id', fields.playlist_title ?? (fields.video_id === undefined ? fields.title : undefined)],
    ['id', fields.name],
    ...['supervisor', 'manager', 'user', 'viewer'].map(who => [`${who}_id`, fields[`${who}_name`]] as const),
  ] as const
  for (const [field, name] of named) {
    const id = fields[field]
    if (typeof id === 'string' && typeof name === 'string') names.set(id, name)
  }
  for (const field of Object.values(fields)) collectNames(field, names)
}

/** Fields that only programs need. */
const technicalFields = new Set(
  '_id id sid key eventId client_id person_id provider_id generation version seq issuer rotated_at video_index'.split(
    ' ',
  ),
)
/** Ids of the store, alone or joined, and of browsers. */
const technicalId = /^([0-9a-f]{24}\b|[0-9a-f]{8}-[0-9a-f]{4}-)/
const positionFields = new Set(['position', 'positions', 'duration', 'timestamp'])
const timeText = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/

/** The HTML of a value; empty if it says nothing to a person. */
function formatValue(field: string, value: unknown, names: Names): string {
  if (value === null || value === undefined || value === '') return ''
  if (Array.isArray(value)) return formatList(field, value, names)
  if (typeof value === 'object') return formatFields(field, value, names)
  return escapeText(describeValue(field, value, names))
}

function formatList(field: string, list: unknown[], names: Names): string {
  const isRange = list.length === 2 && list.every(bound => typeof bound === 'number')
  if (isRange) return `${list.map(bound => formatPosition(bound as number)).join(' to ')}<br>`
  return list
    .map(item => formatValue(field, item, names))
    .filter(html => html !== '')
    .map(html => (html.startsWith('<dl>') || html.endsWith('<br>') ? html : `${html}<br>`))
    .join('')
}

function formatFields(field: string, value: object, names: Names): string {
  // The positions of a playlist: the id of each video, and where the person stopped.
  const isByVideo = field === 'positions'
  const rows = Object.entries(value).map(([name, inner]) => {
    if (technicalFields.has(name) || isNamedBeside(name, value)) return ''
    const html = formatValue(isByVideo ? field : name, inner, names)
    const label = names.get(name) ?? (isByVideo ? name : labelOf(name))
    return html && `<dt>${escapeText(label)}</dt><dd>${html}</dd>`
  })
  const shown = rows.join('')
  return shown && `<dl>${shown}</dl>`
}

/** Whether an id is followed by its name: `supervisor_id` by `supervisor_name`. */
function isNamedBeside(field: string, fields: object): boolean {
  if (!field.endsWith('_id')) return false
  const subject = field.slice(0, -'_id'.length)
  return `${subject}_name` in fields || `${subject}_title` in fields || ('title' in fields && 'duration' in fields)
}

function describeValue(field: string, value: unknown, names: Names): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') {
    if (positionFields.has(field)) return formatPosition(value)
    if (field === 'completion_rate') return formatPercent(value)
    if (field === 'watch_time') return formatWatchTime(value)
    return field === 'clientTime' ? formatExactTime(new Date(value).toISOString()) : String(value)
  }
  const text = String(value)
  const name = names.get(text)
  if (name !== undefined) return name
  if (timeText.test(text)) return formatExactTime(text)
  if (technicalId.test(text)) return ''
  // A code, `role_changed` for example.
  return /^[a-z]+(_[a-z]+)+$/.test(text) ? text.replaceAll('_', ' ') : text
}

/** `supervisor_id` is "Supervisor", and `clientTime` "Client time". */
function labelOf(field: string): string {
  const words = field
    .replace(/_(id|name)$/, '')
    .replaceAll('_', ' ')
    .trim()
  const spaced = words.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character]!)
}
