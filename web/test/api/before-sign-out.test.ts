import { expect, test } from '@jest/globals'
import { beforeSignOut, prepareSignOut } from '../../src/api/before-sign-out.ts'

test('a sign-out waits for the registered tasks, also if one fails', async () => {
  const ended: string[] = []
  const removeFirst = beforeSignOut(async () => {
    await new Promise(resolve => setTimeout(resolve, 1))
    ended.push('first')
  })
  const removeSecond = beforeSignOut(() => Promise.reject(new Error('offline')))
  await prepareSignOut()
  expect(ended).toEqual(['first'])
  removeFirst()
  removeSecond()
  await prepareSignOut()
  expect(ended).toEqual(['first'])
})

test('a sign-out does not wait longer than its limit', async () => {
  const remove = beforeSignOut(() => new Promise(() => {}))
  let endWait = () => {}
  let isReady = false
  const waiting = prepareSignOut((_ms, run) => {
    endWait = run
    return () => {}
  }).then(() => {
    isReady = true
  })
  await Promise.resolve()
  expect(isReady).toBe(false)
  endWait()
  await waiting
  expect(isReady).toBe(true)
  remove()
})
