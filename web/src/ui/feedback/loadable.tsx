import { type ComponentType, type ReactNode, startTransition, useEffect, useState } from 'react'

interface Code<Props> {
  /** Undefined until `load` has resolved. */
  component: ComponentType<Props> | undefined
  load(): Promise<void>
}

export type Loadable<Props> = ComponentType<Props> & {
  /** Begins to load the code. A failure shows when the component does. */
  preload(): void
}

/**
 * A component whose code loads when it is first shown; until then it shows the fallback. A failure
 * is thrown to the next error boundary. React's `lazy` keeps its fallback on screen for at least
 * 300 ms, and shows it even if the code was loaded before (FALLBACK_THROTTLE_MS in
 * react-reconciler). Two of them in a row delayed a dashboard by 0.6 s.
 */
export function loadable<Props extends object>(
  importComponent: () => Promise<ComponentType<Props>>,
  fallback: ReactNode | ((props: Props) => ReactNode) = null,
): Loadable<Props> {
  let loading: Promise<void> | undefined
  const code: Code<Props> = {
    component: undefined,
    load: () => {
      loading ??= importComponent().then(component => {
        code.component = component
      })
      return loading
    },
  }
  const show = typeof fallback === 'function' ? fallback : () => fallback
  return Object.assign((props: Props) => <WhenLoaded code={code} showFallback={show} props={props} />, {
    preload: () => void code.load().catch(() => {}),
  })
}

interface WhenLoadedProps<Props> {
  code: Code<Props>
  showFallback: (props: Props) => ReactNode
  props: Props
}

function WhenLoaded<Props extends object>({ code, showFallback, props }: WhenLoadedProps<Props>) {
  const [Component, setComponent] = useState(() => code.component)
  const [failure, setFailure] = useState<{ error: unknown }>()
  useEffect(() => {
    if (Component) return
    code.load().then(
      // React renders a transition in short tasks, so the page keeps answering.
      () => startTransition(() => setComponent(() => code.component)),
      error => setFailure({ error }),
    )
  }, [Component, code])
  if (failure) throw failure.error
  return Component ? <Component {...props} /> : showFallback(props)
}
