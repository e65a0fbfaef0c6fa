//go:build !windows

package uploader

import "syscall"

// Fails if another process has the lock. It ends with the process.
func lockFile(handle uintptr) error {
	return syscall.Flock(int(handle), syscall.LOCK_EX|syscall.LOCK_NB)
}
