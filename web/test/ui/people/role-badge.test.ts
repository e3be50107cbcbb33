import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'

// Styles are stubbed in the web tests, so this reads their source.
const source = readFileSync('web/src/ui/people/role-badge.module.css', 'utf8')
const colorOf = (selector: string) => {
  const [, rule] = source.split(`${selector} {`)
  return rule?.match(/\n\s+color: var\((--wl-[a-z]+)\)/)?.[1]
}

test.each([
  ['supervisor', '--wl-green'],
  ['manager', '--wl-orange'],
  ['director', '--wl-blue'],
])('the badge of a %s has the color %s', (role, color) => {
  expect(colorOf(`.badge[data-role="${role}"]`)).toBe(color)
})

test('every other badge is grey', () => {
  expect(source.match(/data-role="\w+"/g)).toHaveLength(3)
  expect(colorOf('.badge')).toBe('--wl-dim')
})
