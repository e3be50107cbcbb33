import type { PersonalData } from '../api/personal-data.ts'

/** The heading of each kind; a kind of a newer server shows its own name. */
const headings: Record<string, string> = {
  account: 'Account',
  sign_in_claims: 'What your sign-in provider said of you',
  sign_ins: 'Sign-ins',
  notice_answers: 'Your answers to the notice about monitored sessions',
  supervisor_requests: 'Requests for supervisors',
  audit_entries: 'What administrators changed',
  tasks: 'Tasks',
  positions: 'Where you stopped',
  monitored_sessions: 'Monitored sessions',
  reminders: 'Reminders',
  videos_reported: 'Videos that did not play',
  watch_record: 'Watch record',
  comments: 'Comments',
  detail_views: 'Who looked at your details',
  player_reports: 'Reports of your player',
  notifications: 'Notifications',
  conversations: 'Conversations',
  messages: 'Messages that you sent',
}

/** A page of HTML that needs nothing else, for reading and printing. Every text is escaped. */
export function formatPersonalDataPage(data: PersonalData, at: Date): string {
  const sections = Object.entries(data).map(
    ([kind, items]) =>
      `<section><h2>${escapeText(headings[kind] ?? kind)} (${items.length})</h2>${items.map(formatItem).join('')}</section>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>What Watchline records</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
dl{display:grid;grid-template-columns:minmax(8rem,auto) 1fr;gap:0 1rem;margin:0 0 1rem;padding:.5rem;border:1px solid #ccc}
dt{color:#555}dd{margin:0;overflow-wrap:anywhere;white-space:pre-wrap}dl dl{border:0;padding:0;margin:0}</style></head>
<body><h1>What Watchline records</h1><p>As of ${escapeText(at.toISOString())}.</p>
${sections.join('\n')}</body></html>
`
}

function formatItem(value: unknown): string {
  if (Array.isArray(value)) return value.map(formatItem).join('')
  if (typeof value !== 'object' || value === null) return `<span>${escapeText(String(value ?? '–'))}</span> `
  const rows = Object.entries(value).map(
    ([name, field]) => `<dt>${escapeText(name.replaceAll('_', ' ').trim())}</dt><dd>${formatItem(field)}</dd>`,
  )
  return `<dl>${rows.join('')}</dl>`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character]!)
}
