import { CloseButton } from '@mantine/core'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { explainFailure, type Failure } from '../../api/failure.ts'
import styles from './alerts.module.css'

export interface Alert {
  /** error: a failure; success: a finished action; notice: information. */
  kind: 'error' | 'success' | 'notice'
  message: string
  /** A second line, such as the server's reason. */
  detail?: string
}

interface ShownAlert extends Alert {
  id: number
}

export interface Alerts {
  announce(alert: Alert): void
  /** An error, with the server's reason in the second line if there is one. */
  fail(message: string, failure?: Failure): void
  succeed(message: string, detail?: string): void
}

const successMs = 6_000
const maxShownAlerts = 4
const AlertsContext = createContext<Alerts | undefined>(undefined)
let lastId = 0

/**
 * In-page alerts in the corner. Errors interrupt a screen reader and stay until closed; others are
 * polite and disappear.
 */
export function AlertProvider({ children }: { children: ReactNode }) {
  const [shownAlerts, setShownAlerts] = useState<ShownAlert[]>([])
  const close = useCallback((id: number) => setShownAlerts(alerts => alerts.filter(alert => alert.id !== id)), [])
  const alerts = useMemo<Alerts>(() => {
    const announce = (alert: Alert) => {
      lastId += 1
      const newAlert = { ...alert, id: lastId }
      const differs = (previous: Alert) => previous.message !== alert.message || previous.detail !== alert.detail
      setShownAlerts(previousAlerts => [...previousAlerts.filter(differs), newAlert].slice(-maxShownAlerts))
    }
    return {
      announce,
      fail: (message, failure) => {
        const reason = failure && explainFailure(failure)
        announce({ kind: 'error', message, detail: reason === message ? undefined : reason })
      },
      succeed: (message, detail) => announce({ kind: 'success', message, detail }),
    }
  }, [])

  return (
    <AlertsContext value={alerts}>
      {children}
      <div className={styles.region}>
        {shownAlerts.map(alert => (
          <AlertCard key={alert.id} alert={alert} onClose={close} />
        ))}
      </div>
    </AlertsContext>
  )
}

const kindNames = { error: 'Error', success: 'Done', notice: 'Note' } as const

function AlertCard({ alert, onClose }: { alert: ShownAlert; onClose: (id: number) => void }) {
  const { id, kind } = alert
  useEffect(() => {
    if (kind !== 'success') return
    const timer = setTimeout(() => onClose(id), successMs)
    return () => clearTimeout(timer)
  }, [id, kind, onClose])
  return (
    <div className={styles.alert} data-kind={kind} role={kind === 'error' ? 'alert' : 'status'}>
      <div className={styles.words}>
        <p className={styles.message}>
          <span className="wl-hidden">{kindNames[kind]}: </span>
          {alert.message}
        </p>
        {alert.detail ? <p className={styles.detail}>{alert.detail}</p> : null}
      </div>
      <CloseButton aria-label="Close this message" onClick={() => onClose(id)} />
    </div>
  )
}

export function useAlerts(): Alerts {
  const alerts = useContext(AlertsContext)
  if (!alerts) throw new Error('useAlerts needs an AlertProvider above')
  return alerts
}
