import { expect, test } from '@jest/globals'
import {
  changeConditions,
  conditions,
  conditionsInput,
  defaultConditions,
  describeConditions,
  isSameConditions,
} from '@watchline/contracts/conditions'

const { allow_skipping: _, ...earlier } = { ...defaultConditions, required_percent: 95 }

test('conditions of the version before allow skipping', () => {
  expect(conditions.parse(earlier)).toEqual({ ...earlier, allow_skipping: true })
  expect(isSameConditions(earlier as never, { ...earlier, allow_skipping: true })).toBe(true)
  expect(describeConditions(earlier as never)).toEqual(['95% needed'])
})

test('a change that does not name skipping leaves it', () => {
  const forbidden = { ...defaultConditions, allow_skipping: false }
  const change = conditionsInput.parse({ required_percent: 95 })
  expect(change).toEqual({ required_percent: 95 })
  expect(changeConditions(forbidden, change, true)).toEqual({ ...forbidden, required_percent: 95 })
  expect(changeConditions(forbidden, conditionsInput.parse({ allow_skipping: true }), true)).toBeNull()
})

test('screens and records name what differs from the default', () => {
  expect(describeConditions({ ...defaultConditions, allow_skipping: false })).toEqual(['no skipping ahead'])
  expect(describeConditions(null)).toEqual([])
})
