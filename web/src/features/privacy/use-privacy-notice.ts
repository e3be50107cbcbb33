import type { ResponseOf } from '@watchline/contracts/operation'
import { getPrivacyNotice } from '@watchline/contracts/privacy'
import { useEffect, useState } from 'react'
import { callOperation } from '../../api/call-operation.ts'

export type PrivacyNotice = ResponseOf<typeof getPrivacyNotice>

/** Undefined until it is loaded; null if it could not be loaded. */
export function usePrivacyNotice(): PrivacyNotice | null | undefined {
  const [notice, setNotice] = useState<PrivacyNotice | null>()
  useEffect(() => {
    let isUnmounted = false
    void callOperation(getPrivacyNotice, {}).then(answer => {
      if (!isUnmounted) setNotice(answer.ok ? answer.data : null)
    })
    return () => {
      isUnmounted = true
    }
  }, [])
  return notice
}
