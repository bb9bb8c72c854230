module perception.example

go 1.19
