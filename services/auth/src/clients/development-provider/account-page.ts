import type { PersonRecord } from '../../store/person-model.ts'

export interface AccountPageContent {
  /** The address that the forms submit to. */
  action: string
  people: readonly PersonRecord[]
  more: boolean
  search: string
  problem?: string
}

/** The number of accounts from which the page offers a search. */
const minAccountsForSearch = 12

const style = `
:root{color-scheme:light dark;--ground:#f4f6f8;--card:#fff;--line:#d5dce3;--text:#1c2732;--quiet:#51606f;--brand:#0b5c63;--on:#fff;--field:#7a8896;--error:#a3211b}
@media(prefers-color-scheme:dark){:root{--ground:#12181e;--card:#1b232b;--line:#33404c;--text:#e8edf2;--quiet:#a9b6c3;--brand:#6cc7cf;--on:#0c1a1c;--field:#7a8896;--error:#ff9d94}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:16px/1.5 Inter,system-ui,sans-serif}
main{max-width:560px;margin:0 auto;padding:40px 16px 64px}
h1{font-size:24px;line-height:32px;margin:0 0 8px}h2{font-size:16px;margin:0 0 16px}
p{margin:0 0 24px;color:var(--quiet)}
section{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:24px;margin:0 0 16px}
label{display:block;font-weight:600;margin:0 0 4px}
input{width:100%;font:inherit;color:inherit;background:var(--ground);border:1px solid var(--field);border-radius:6px;padding:8px 12px;margin:0 0 16px;min-height:44px}
button{font:inherit;min-height:44px;cursor:pointer;border-radius:6px}
button:focus-visible,input:focus-visible{outline:3px solid var(--brand);outline-offset:2px}
.primary{background:var(--brand);color:var(--on);border:0;padding:8px 24px;font-weight:600}
.quiet{background:none;color:var(--brand);border:1px solid var(--brand);padding:8px 16px}
.filter{display:flex;gap:8px;align-items:end}.filter div{flex:1}.filter input,.filter button{margin:0 0 16px}
ul{list-style:none;margin:0;padding:0}li+li{border-top:1px solid var(--line)}
.account{display:grid;grid-template-columns:1fr auto;gap:0 16px;width:100%;text-align:left;background:none;border:0;color:inherit;padding:12px 8px;overflow-wrap:anywhere}
.account:hover{background:var(--ground)}
.account strong{font-weight:600}.account span{color:var(--quiet);font-size:14px}.account .role{grid-row:1/3;grid-column:2;align-self:center}
.problem{color:var(--error);font-weight:600;margin:0 0 16px}
`

/**
 * The page to choose a known account or type another one. It has no script and no external
 * resource.
 */
export function accountPage({ action, people, more, search, problem }: AccountPageContent): string {
  const sortedPeople = [...people].sort((a, b) => a.email.localeCompare(b.email, 'en', { numeric: true }))
  const accounts = sortedPeople.map(
    person =>
      `<li><button class="account" name="email" value="${html(person.email)}"><strong>${html(person.name)}</strong><span>${html(
        person.email,
      )}</span><span class="role">${person.role}</span></button></li>`,
  )
  const filter =
    search || more || people.length >= minAccountsForSearch
      ? `<form method="get" action="${html(action)}" class="filter" role="search"><div><label for="q">Find an account</label>
<input id="q" name="q" type="search" value="${html(search)}" autocomplete="off"></div><button class="quiet">Find</button></form>`
      : ''
  const list = accounts.length
    ? `<form method="post" action="${html(action)}"><ul>${accounts.join('\n')}</ul></form>`
    : search
      ? '<p>No account matches. Try another word, or type an address below.</p>'
      : '<p>Nobody has signed in yet. Type any address below; a new account is made for it.</p>'
  return page(
    'Choose an account',
    `<h1>Choose an account</h1>
<p>This is the sign-in for development: it asks for no password and is never there in production.</p>
<section aria-labelledby="known"><h2 id="known">Known accounts</h2>${filter}${list}${
      more ? '<p>There are more: find one by name or address.</p>' : ''
    }</section>
<section aria-labelledby="other"><h2 id="other">Another account</h2>
<form method="post" action="${html(action)}">${problem ? `<p class="problem" role="alert">${html(problem)}</p>` : ''}
<label for="email">Email address</label><input id="email" name="email" type="email" required maxlength="254" autocomplete="off">
<label for="name">Name (optional)</label><input id="name" name="name" maxlength="120" autocomplete="off">
<button class="primary">Sign in</button></form></section>`,
  )
}

/** The page of a failed sign-in, with a link to start again. */
export function problemPage(problem: string): string {
  return page(
    'Sign-in did not work',
    `<h1>Sign-in did not work</h1><p>${html(problem)}</p><p><a href="/">Back to the sign-in page</a></p>`,
  )
}

/** The pages need inline styles only, so they also work under the gateway's policy. */
export const contentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · Watchline</title>
<style>${style}a{color:var(--brand)}</style></head><body><main>${content}</main></body></html>
`
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function html(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character]!)
}
