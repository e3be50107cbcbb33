import { jest } from '@jest/globals'
import { MantineProvider } from '@mantine/core'
import { act, render } from '@testing-library/react'
import { MonitoredSession, type MonitoredSessionProps } from '../../src/features/player/session/monitored-session.tsx'
import { ChoiceOwner } from '../../src/ui/lists/remembered-choice.ts'
import { createServer, okAnswer, settleAll } from './_answers.ts'
import { createFakeAdapters } from './_fake-adapter.ts'
import { makeSessionPlaylist, makeSessionStatus } from './_session-driver.ts'

export const nothingToResume = { ...okAnswer, data: makeSessionStatus({ can_resume: false }) as never }
// Without Web Locks and without messages a window plays at once. `window-lock.test.ts` has both.
Object.assign(globalThis, { BroadcastChannel: undefined })

export const settleScreen = () => act(settleAll)

/** Answers the media queries for which `matches` is true. */
export function setMedia(matches: (query: string) => boolean) {
  window.matchMedia = query =>
    ({
      matches: matches(query),
      media: query,
      addEventListener() {},
      removeEventListener() {},
    }) as unknown as MediaQueryList
}

/** A session with a server and a player that the test controls. */
export function prepareSession(props: Partial<MonitoredSessionProps> = {}) {
  const server = createServer()
  server.answerWith(call => (call === 'session-status' ? nothingToResume : okAnswer))
  const adapters = createFakeAdapters()
  const onBack = jest.fn()
  const onReload = jest.fn()
  const person = props.person ?? { id: 'trainee1', name: 'Trainee One', role: 'user' }
  const view = (
    <MantineProvider env="test">
      <ChoiceOwner value={person.id}>
        <MonitoredSession
          playlist={makeSessionPlaylist(5, 'file')}
          api={server.api}
          createAdapter={(provider, _host, listener) => adapters.create(provider, listener)}
          onBack={onBack}
          onReload={onReload}
          {...props}
          person={person}
        />
      </ChoiceOwner>
    </MantineProvider>
  )
  return {
    server,
    adapters,
    onBack,
    onReload,
    view,
    show: () => render(view),
    async play() {
      const rendered = render(view)
      await settleScreen()
      act(() => adapters.last.emit('cued'))
      await settleScreen()
      act(() => adapters.last.emit('playing'))
      await settleScreen()
      return rendered
    },
    async end() {
      act(() => {
        adapters.last.currentTime = 60
        adapters.last.emit('ended')
      })
      await settleScreen()
    },
  }
}
