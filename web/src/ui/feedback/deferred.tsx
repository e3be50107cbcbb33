import { type ComponentType, memo, useDeferredValue } from 'react'

/**
 * A component that React renders in short tasks when its props change, so that the page keeps
 * answering. Otherwise an answer of the API renders all that shows it in one task. A field must not
 * get its value through such props, because typing would fall behind.
 */
export function deferred<Props extends object>(component: ComponentType<Props>): ComponentType<Props> {
  const Memoized = memo(component) as unknown as ComponentType<Props>
  return (props: Props) => <WithDeferredProps component={Memoized} props={props} />
}

interface WithDeferredPropsProps<Props> {
  component: ComponentType<Props>
  props: Props
}

/**
 * The urgent render has the earlier props, with which a memoized component renders nothing again.
 */
function WithDeferredProps<Props extends object>({ component: Memoized, props }: WithDeferredPropsProps<Props>) {
  return <Memoized {...useDeferredValue(props)} />
}
