import { Component, type ErrorInfo, type ReactNode } from 'react'
import buttons from '../controls/plain-button.module.css'
import { PageState } from './page-state.tsx'

interface State {
  error?: unknown
}

/** Catches any error of a screen and shows a page that says what to do, instead of a blank one. */
export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = {}

  static getDerivedStateFromError(error: unknown): State {
    return { error: error ?? new Error('unknown') }
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    console.error(error, info.componentStack)
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return (
      <PageState
        title={isMissingChunk(error) ? 'Watchline could not load this page' : 'Something went wrong on this page'}
      >
        <p>
          {isMissingChunk(error)
            ? 'It may have been updated, or the network was interrupted. Reload to go on.'
            : 'What you have watched is safe. Reload to go on; if it happens again, tell your administrator.'}
        </p>
        <button type="button" className={buttons.primary} onClick={() => window.location.reload()}>
          Reload
        </button>
        <a href="/">Back to the start</a>
      </PageState>
    )
  }
}

function isMissingChunk(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|preload|Importing a module/i.test(error.message)
}
