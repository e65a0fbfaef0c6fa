//go:build windows

package uploader

import (
	"syscall"
	"unsafe"
)

var lockFileEx = syscall.NewLazyDLL("kernel32.dll").NewProc("LockFileEx")

// Fails if another process has the lock. It ends with the process.
func lockFile(handle uintptr) error {
	const exclusiveAtOnce = 1 | 2
	where := unsafe.Pointer(new(syscall.Overlapped))
	locked, _, err := lockFileEx.Call(handle, exclusiveAtOnce, 0, 1, 0, uintptr(where))
	if locked == 0 {
		return err
	}
	return nil
}
