// A null pointer in a goroutine's function; the core needs GOTRACEBACK=crash.
package main

import "os"

type table struct{ rows []int }

//go:noinline
func pick(t *table, at int) int { return t.rows[at] }

func main() {
	if len(os.Args) > 1 {
		panic("the queue is lost: " + os.Args[1])
	}
	println(pick(nil, 3))
}
