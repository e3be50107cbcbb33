import { expect, test } from '@jest/globals'
import { isDatabaseAway } from '@watchline/kit/mongo/errors'
import mongoose from 'mongoose'

const { MongoBulkWriteError, MongoNetworkError, MongoServerError } = mongoose.mongo

const bulk = (cause: ConstructorParameters<typeof MongoBulkWriteError>[0]) =>
  new MongoBulkWriteError(cause, {} as mongoose.mongo.BulkWriteResult)

test.each([
  ['a connection that broke', new MongoNetworkError('cut'), true],
  ['a primary that stepped down', new MongoServerError({ message: 'stepped down', code: 189 }), true],
  ['a server that is shut down', new MongoServerError({ message: 'shutdown', code: 91 }), true],
  ['a bulk write whose connection broke', bulk(new MongoNetworkError('cut')), true],
  ['a bulk write with a duplicate key', bulk({ message: 'duplicate', code: 11_000 }), false],
  ['a duplicate key', new MongoServerError({ message: 'duplicate', code: 11_000 }), false],
  ['an error of another library with the same code', Object.assign(new Error('no'), { code: 91 }), false],
  ['undefined', undefined, false],
])('whether MongoDB is unavailable: %s', (_name, error, expected) => {
  expect(isDatabaseAway(error)).toBe(expected)
})
