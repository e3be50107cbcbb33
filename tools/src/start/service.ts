// `npm run service -- chat`: one service or the gateway as a separate process. The environment
// configures it.
const name = process.argv[2] ?? ''
const mains: Record<string, () => Promise<unknown>> = {
  gateway: () => import('../../../gateway/src/main.ts'),
  auth: () => import('../../../services/auth/src/main.ts'),
  'playback-session': () => import('../../../services/playback-session/src/main.ts'),
  engagement: () => import('../../../services/engagement/src/main.ts'),
  notification: () => import('../../../services/notification/src/main.ts'),
  chat: () => import('../../../services/chat/src/main.ts'),
}
const main = mains[name]
if (!main) {
  console.error(`usage: npm run service -- ${Object.keys(mains).join(' | ')}`)
  process.exit(2)
}
await main()
