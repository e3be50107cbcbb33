import { configureStore } from '@reduxjs/toolkit'
import { gateway } from '../api/gateway.ts'
import { chatWindows } from '../features/chat/dock/chat-windows.ts'
import { chatDrafts } from '../features/chat/window/chat-drafts.ts'
import { answerDrafts } from '../features/notifications/approvals/answer-drafts.ts'
import { notificationPreferences } from '../features/notifications/preferences/notification-preferences.ts'
import { sound } from '../features/notifications/sound/sound.ts'

export function makeStore() {
  return configureStore({
    reducer: {
      [gateway.reducerPath]: gateway.reducer,
      answerDrafts,
      chatDrafts,
      chatWindows,
      notificationPreferences,
      sound,
    },
    middleware: defaults => defaults().concat(gateway.middleware),
  })
}

export type AppStore = ReturnType<typeof makeStore>
