import { expect, test } from '@jest/globals'
import { createKeyedMutex } from '@watchline/kit/core/keyed-mutex'

test('work with the same key runs one after the other, in order, even if some fails', async () => {
  const mutex = createKeyedMutex()
  const log: string[] = []
  const work = (name: string, fails = false) =>
    mutex.run('key', async () => {
      log.push(`${name} begins`)
      await new Promise(resolve => setImmediate(resolve))
      log.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    })
  const outcomes = await Promise.allSettled([work('one'), work('two', true), work('three')])
  expect(outcomes.map(outcome => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(log).toEqual(['one begins', 'one ends', 'two begins', 'two ends', 'three begins', 'three ends'])
})

test('other keys do not wait, and hanging work delays its key only for a limited time', async () => {
  const mutex = createKeyedMutex(20)
  void mutex.run('key', () => new Promise(() => {}))
  expect(await mutex.run('other', async () => 'at once')).toBe('at once')
  expect(await mutex.run('key', async () => 'in the end')).toBe('in the end')
})
