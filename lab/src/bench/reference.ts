/*
 * The reference build: the same calls, written in the usual way. Express verifies the token on
 * every call. Mongoose finds, changes and saves one document at a time, as durably as Watchline
 * does.
 */
import express, { type NextFunction, type Request, type Response } from 'express'
import jwt from 'jsonwebtoken'
import mongoose, { Schema } from 'mongoose'

const { PORT, MONGO_URL, DATABASE, TOKEN_PUBLIC_KEY } = process.env as Record<string, string>

const Progress = mongoose.model(
  'Progress',
  new Schema({
    user_id: { type: String, required: true },
    playlist_id: { type: String, required: true },
    video_id: String,
    video_index: Number,
    progress: Number,
    updated_at: Date,
  }).index({ user_id: 1, playlist_id: 1 }, { unique: true }),
)

const WatchEvent = mongoose.model(
  'WatchEvent',
  new Schema({
    user_id: { type: String, required: true },
    playlist_id: String,
    video_id: { type: String, required: true },
    event_type: { type: String, enum: ['play', 'pause', 'playing', 'ended', 'playlist_completed'], required: true },
    watch_time: { type: Number, required: true },
    created_at: { type: Date, default: Date.now },
  }).index({ user_id: 1, created_at: -1 }),
)

const Engagement = mongoose.model(
  'Engagement',
  new Schema({
    user_id: { type: String, required: true },
    playlist_id: String,
    video_id: { type: String, required: true },
    watch_time: { type: Number, default: 0 },
    completion_rate: { type: Number, default: 0 },
    last_updated: Date,
  }).index({ user_id: 1, video_id: 1 }, { unique: true }),
)

const videoLengthS = 3_600

function requireToken(req: Request, res: Response, next: NextFunction) {
  try {
    const token = (req.get('authorization') ?? '').replace(/^Bearer /, '')
    res.locals.user = jwt.verify(token, TOKEN_PUBLIC_KEY!, { algorithms: ['ES256', 'RS256'] })
    next()
  } catch {
    res.status(401).json({ detail: 'You are not signed in.' })
  }
}

const app = express()
app.use(express.json())

app.post('/api/session/save-progress', requireToken, async (req, res) => {
  const { playlist_id, video_id, video_index, progress } = req.body
  const user_id = res.locals.user.sub
  const document = (await Progress.findOne({ user_id, playlist_id })) ?? new Progress({ user_id, playlist_id })
  document.set({ video_id, video_index, progress, updated_at: new Date() })
  await document.save()
  res.json({ success: true })
})

app.post('/api/engagement/track', requireToken, async (req, res) => {
  const { playlist_id, video_id, event_type, watch_time } = req.body
  const user_id = res.locals.user.sub
  await WatchEvent.create({ user_id, playlist_id, video_id, event_type, watch_time })
  const document =
    (await Engagement.findOne({ user_id, video_id })) ?? new Engagement({ user_id, video_id, playlist_id })
  document.watch_time = Math.max(document.watch_time, watch_time)
  document.completion_rate = Math.min(100, (document.watch_time / videoLengthS) * 100)
  document.last_updated = new Date()
  await document.save()
  res.json({ success: true })
})

await mongoose.connect(MONGO_URL!, { dbName: DATABASE, writeConcern: { w: 'majority', journal: true } })
await Promise.all([Progress.init(), WatchEvent.init(), Engagement.init()])
app.listen(Number(PORT), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
