// A client that starts a transaction, writes a document in it, reports that to its parent process,
// and is then idle until it is killed.
import mongoose from 'mongoose'

const [url, database] = process.argv.slice(2)
const client = await new mongoose.mongo.MongoClient(url, { appName: database }).connect()
const session = client.startSession()
session.startTransaction()
const notes = client.db(database).collection('notes')
await notes.updateOne({ _id: 'wanted' }, { $set: { by: 'nobody' } }, { session })
process.send('written')
setInterval(() => {}, 60_000)
