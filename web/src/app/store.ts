import { configureStore } from '@reduxjs/toolkit'
import { gateway } from '../api/gateway.ts'

export function makeStore() {
  return configureStore({
    reducer: { [gateway.reducerPath]: gateway.reducer },
    middleware: defaults => defaults().concat(gateway.middleware),
  })
}

export type AppStore = ReturnType<typeof makeStore>
