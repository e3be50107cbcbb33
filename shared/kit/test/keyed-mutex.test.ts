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

test('waiting work is dropped if its client has gone, and a full queue refuses more', async () => {
  const mutex = createKeyedMutex(60_000, 3)
  const first = Promise.withResolvers<string>()
  let isGone = false
  const done: string[] = []
  const running = mutex.run('key', () => first.promise)
  const waiting = [
    mutex.run(
      'key',
      async () => done.push('abandoned'),
      () => isGone,
    ),
    mutex.run(
      'key',
      async () => done.push('awaited'),
      () => false,
    ),
  ]
  await expect(mutex.run('key', async () => done.push('too many'))).rejects.toMatchObject({ code: 'overloaded' })
  isGone = true
  first.resolve('first')
  expect(await running).toBe('first')
  const outcomes = await Promise.allSettled(waiting)
  expect(outcomes.map(outcome => outcome.status)).toEqual(['rejected', 'fulfilled'])
  expect(done).toEqual(['awaited'])
  expect(await mutex.run('key', async () => 'the queue is empty again')).toBe('the queue is empty again')
})
