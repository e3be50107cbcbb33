import { expect, test } from '@jest/globals'
import { defaultPolicy } from '../../src/app/trusted-types.ts'

test.each([
  ['', true],
  ['*, *::before { transition: none !important; }', true],
  ['@media (width < 600px) { :root { --size: 1px } }', true],
  ['a<b', false],
  ['<img src=x onerror=alert(1)>', false],
  ['</style><script>', false],
  ['<!-- x -->', false],
])('%j is accepted as HTML: %s', (html, isAccepted) => {
  expect(defaultPolicy.createHTML(html)).toBe(isAccepted ? html : null)
})

const own = location.origin
test.each([
  ['/service-worker.js', 'ServiceWorkerContainer register', true],
  [`${own}/assets/entry.js`, 'HTMLScriptElement src', true],
  ['https://www.youtube.com/s/player/1/www-widgetapi.js', 'HTMLScriptElement src', true],
  [`blob:${own}/5f0c2b1e`, 'Worker constructor', true],
  [`blob:${own}/5f0c2b1e`, 'HTMLScriptElement src', false],
  ['blob:https://example.org/5f0c2b1e', 'Worker constructor', false],
  ['data:text/javascript,alert(1)', 'Worker constructor', false],
  ['javascript:alert(1)', 'HTMLScriptElement src', false],
  ['//example.org/x.js', 'HTMLScriptElement src', false],
  ['https://www.youtube.com.example.org/x.js', 'HTMLScriptElement src', false],
  ['http://www.youtube.com/x.js', 'HTMLScriptElement src', false],
])('%s for %s is accepted as the address of a script: %s', (url, sink, isAccepted) => {
  expect(defaultPolicy.createScriptURL(url, 'TrustedScriptURL', sink)).toBe(isAccepted ? url : null)
})
