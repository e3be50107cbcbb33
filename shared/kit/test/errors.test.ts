import { expect, test } from '@jest/globals'
import { isDatabaseAway } from '@watchline/kit/errors'
import mongoose from 'mongoose'

const { MongoNetworkError, MongoServerError } = mongoose.mongo

test.each([
  ['a connection that broke', new MongoNetworkError('cut'), true],
  ['a primary that stepped down', new MongoServerError({ message: 'stepped down', code: 189 }), true],
  ['a server that is shut down', new MongoServerError({ message: 'shutdown', code: 91 }), true],
  ['a key that is there already', new MongoServerError({ message: 'duplicate', code: 11_000 }), false],
  ['an error of somebody else with such a code', Object.assign(new Error('no'), { code: 91 }), false],
  ['nothing', undefined, false],
])('whether MongoDB is away, by %s', (_name, error, is) => {
  expect(isDatabaseAway(error)).toBe(is)
})
